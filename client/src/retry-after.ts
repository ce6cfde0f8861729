/** Such as `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = /^([a-z]+) +([a-z]+) +(\d+) ([\d:]+) (\d{4})$/i;

/** Such as `Sun, 06 Nov 1994 08:49:37 GMT`, or `Sunday, 06-Nov-94 08:49:37 GMT`. */
const DATE = /^[a-z]+, *(\d+)[ -]([a-z]+)[ -](\d+) ([\d:]+) GMT$/i;

/** The longest wait, in milliseconds: a `Date` can hold its end, which is some 30,000 years away. */
const LONGEST_MS = 1e15;

/**
 * Milliseconds to wait according to a `Retry-After` header (RFC 9110, 10.2.3): seconds, or a date.
 * A header that was sent more than once arrives joined by commas: the longest wait counts.
 * `undefined` when it holds neither.
 */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  // The comma after the name of a day belongs to the date.
  const items = value?.match(/(?:\s*[a-z]+day,|\s*[a-z]{3},)?[^,]*/gi) ?? [];
  const waits = items.map((item) => readWait(item.trim(), nowMs)).filter((wait) => wait >= 0);
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits), LONGEST_MS);
}

/** Milliseconds to wait; `NaN` when `item` is neither a number of seconds nor a date. */
function readWait(item: string, nowMs: number): number {
  // Only whole seconds are allowed, but a fraction is clear enough to be obeyed.
  if (/^\d+(\.\d*)?$/.test(item)) return Math.ceil(Number(item) * 1000);
  return Math.max(0, readDate(item, nowMs) - nowMs);
}

/** The milliseconds since 1970 of a date in any of the three forms of RFC 9110, 5.6.7, or `NaN`. */
function readDate(item: string, nowMs: number): number {
  const [, day, month, year = '', time] =
    DATE.exec(item.replace(ASCTIME, '$1, $3 $2 $5 $4 GMT')) ?? [];
  const fullYear = year.length === 2 ? yearEndingIn(Number(year), nowMs) : year;
  // Dates know no leap seconds.
  return Date.parse(`${day} ${month} ${fullYear} ${time?.replace(/:60$/, ':59')} GMT`);
}

/** The year with these last two digits that is at most 50 years in the future. */
function yearEndingIn(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
