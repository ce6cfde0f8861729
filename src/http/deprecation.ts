import type { Instant } from '../lib/clock.ts';
import type { DEPRECATION_HEADERS } from './headers.ts';
import type { Deprecation } from './operation.ts';

/** Where an API is served and documented; without a slash at the end. */
export interface ApiAddresses {
  readonly baseUrl: string;
  /** Where people read about the API. */
  readonly documentation: string;
}

/** Whether an operation has reached its sunset. */
export function isRemoved({ sunset }: Deprecation, now: Instant): boolean {
  return now.wall >= sunset;
}

/** Tells clients of a deprecated operation since when, until when, and what to use (RFC 9745, 8594). */
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
