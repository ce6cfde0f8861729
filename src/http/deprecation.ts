import type { Deprecation } from '../contract/operations.ts';
import type { Instant } from '../core/clock.ts';
import { DOCUMENT_PATH } from './routes.ts';

/** Whether an operation has reached its sunset. */
export function isRemoved({ sunset }: Deprecation, now: Instant): boolean {
  return now.wall >= sunset;
}

const written = new Map<string, Readonly<Record<string, string>>>();

/**
 * Tells clients of a deprecated operation since when, until when, and what to use (RFC 9745, 8594).
 * Written once for each base address.
 */
export function deprecationHeaders(
  { deprecatedAt, sunset, successor }: Deprecation,
  baseUrl: string,
): Readonly<Record<string, string>> {
  const successorLink = `<${baseUrl}${successor}>; rel="successor-version"`;
  const known = written.get(successorLink);
  if (known) return known;
  const documentation = `<${baseUrl}${DOCUMENT_PATH}>; rel="deprecation"; type="application/json"`;
  const headers = {
    Deprecation: `@${deprecatedAt}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `${documentation}, ${successorLink}`,
  };
  written.set(successorLink, headers);
  return headers;
}
