import type { Deprecation } from '../contract/operations.ts';
import type { Instant } from '../core/clock.ts';
import { DOCUMENT_PATH } from './routes.ts';

/** Whether an operation has reached its sunset. */
export function isRemoved({ sunset }: Deprecation, now: Instant): boolean {
  return now.wall >= sunset;
}

/** Tells clients of a deprecated operation since when, until when, and what to use (RFC 9745, 8594). */
export function deprecationHeaders(
  { deprecatedAt, sunset, successor }: Deprecation,
  baseUrl: string,
): Readonly<Record<string, string>> {
  const documentation = `<${baseUrl}${DOCUMENT_PATH}>; rel="deprecation"; type="application/json"`;
  return {
    Deprecation: `@${deprecatedAt}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `${documentation}, <${baseUrl}${successor}>; rel="successor-version"`,
  };
}
