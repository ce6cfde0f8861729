import type { Deprecation } from '../contract/operations.ts';
import type { Instant } from '../core/clock.ts';
import type { Site } from './site.ts';

/** Whether an operation has reached its sunset. */
export function isRemoved({ sunset }: Deprecation, now: Instant): boolean {
  return now.wall >= sunset;
}

/** Tells clients of a deprecated operation since when, until when, and what to use (RFC 9745, 8594). */
export function deprecationHeaders(
  { deprecatedAt, sunset, successor }: Deprecation,
  { baseUrl, documentation }: Pick<Site, 'baseUrl' | 'documentation'>,
): Readonly<Record<string, string>> {
  return {
    Deprecation: `@${deprecatedAt}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${documentation}>; rel="deprecation"; type="text/html", <${baseUrl}${successor}>; rel="successor-version"`,
  };
}
