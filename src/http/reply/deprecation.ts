import type { Instant } from '../../lib/clock.ts';
import type { DEPRECATION_HEADERS } from '../headers.ts';
import type { Deprecation } from '../operation.ts';

/** Where an API is served and documented, without a trailing slash. */
export interface ApiAddresses {
  readonly baseUrl: string;
  /** Address of the API's documentation. */
  readonly documentation: string;
}

/** Whether an operation has reached its sunset. */
export function isRemoved({ sunset }: Deprecation, now: Instant): boolean {
  return now.wall >= sunset;
}

/** Headers of a deprecated operation: its deprecation date, sunset and successor (RFC 9745, 8594). */
export function deprecationHeaders(
  { deprecatedAt, sunset, successor, section }: Deprecation,
  { baseUrl, documentation }: ApiAddresses,
): Readonly<Record<(typeof DEPRECATION_HEADERS)[number], string>> {
  return {
    Deprecation: `@${deprecatedAt}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${documentation}${section}>; rel="deprecation"; type="text/html", <${baseUrl}${successor}>; rel="successor-version"`,
  };
}
