/** A date, or a time with its zone: one without a zone would mean another moment on each machine. */
const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** What `parseInstant` reads, for people. */
export const INSTANT_RULE = 'a UTC date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z';

/**
 * Reads an instant in ISO 8601, as epoch ms: a time with `Z` or an offset, or a date, which begins in UTC.
 * `undefined` for anything else.
 */
export function parseInstant(text: string): number | undefined {
  const instant = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}
