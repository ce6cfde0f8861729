/**
 * A date, or a time with a time zone: without one it would be a different instant on each machine. `toISOString` writes
 * years after 9999 with a sign and six digits.
 */
const INSTANT =
  /^((?:\d{4}|\+\d{6})-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A description of the accepted instants for users. */
export const INSTANT_RULE = 'a UTC date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z';

/**
 * Parses an instant in ISO 8601 into epoch ms: a time with `Z` or an offset, or a date, which means midnight UTC.
 * `undefined` for anything else.
 */
export function parseInstant(text: string): number | undefined {
  const date = INSTANT.exec(text)?.[1];
  const instant = date !== undefined && isDay(date) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}

/** Whether the month has this day: `Date.parse` takes 30 February for 2 March. */
function isDay(date: string): boolean {
  const midnight = new Date(date);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
