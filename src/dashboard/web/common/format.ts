import type { Limits } from '../../../core/limits/plans.ts';

/* The format of numbers and times on all pages: English like the texts, whatever the browser's
   language, with month names and 24 hours, so that dates are unambiguous. Times are epoch ms. */

const COUNT = new Intl.NumberFormat('en');
const SHORT_COUNT = new Intl.NumberFormat('en', { notation: 'compact' });
const SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit' } as const;
const LOCAL_DATE_TIME = new Intl.DateTimeFormat('en-GB', { ...DATE, ...TIME });
const LOCAL_TIME = new Intl.DateTimeFormat('en-GB', TIME);
const UTC_TIME = new Intl.DateTimeFormat('en-GB', { ...TIME, timeZone: 'UTC' });
const UTC_DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** Capitalized, for the beginning of a title. */
export const ENVIRONMENT_TITLES = { production: 'Production', staging: 'Staging' } as const;

/** Such as "3,650". */
export function countText(count: number): string {
  return COUNT.format(count);
}

/** For the scale of a chart: such as "3,500", and from a million on "3.5M". */
export function axisText(count: number): string {
  return (count < 1_000_000 ? COUNT : SHORT_COUNT).format(count);
}

/** Such as "60 a minute, 1,000 a day". */
export function limitsText({ perMinute, perDay }: Limits): string {
  return `${countText(perMinute)} a minute, ${countText(perDay)} a day`;
}

/** A part of 1, such as "4.2%". */
export function shareText(share: number): string {
  return SHARE.format(share);
}

/** In the reader's zone, such as "2 Jan 2027, 13:00". */
export function dateTimeText(at: number): string {
  return LOCAL_DATE_TIME.format(at);
}

/** In the reader's zone, such as "13:00". */
export function timeText(at: number): string {
  return LOCAL_TIME.format(at);
}

/** In the reader's zone and in UTC, such as "13:00 (12:00 UTC)", or "12:00 UTC" where they are the same. */
export function bothTimesText(at: number): string {
  const [local, utc] = [timeText(at), `${UTC_TIME.format(at)} UTC`];
  return utc.startsWith(local) ? utc : `${local} (${utc})`;
}

/** The UTC day, such as "2 Jan". */
export function utcDayText(at: number): string {
  return UTC_DAY.format(at);
}

/** To the second, such as "2027-01-02 12:00:00 UTC". */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * The maximum of time fields. With it, browsers move on after four digits of the year; otherwise
 * they wait for six.
 */
export const LAST_OF_TIME_FIELDS = '9999-12-31T23:59';

/** Characters that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name within a text. One that is written from right to left must not turn around what follows, such as digits. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/** What pages show of a key. */
interface NamedKey {
  readonly name: string;
  readonly lastFour: string;
}

/** Such as "Shop server (…nbvb)". */
export function keyText({ name, lastFour }: NamedKey): string {
  return `${isolated(name)} (…${lastFour})`;
}

/** Such as "“Shop server” (…nbvb)", within a sentence. */
export function quotedKeyText({ name, lastFour }: NamedKey): string {
  return `“${isolated(name)}” (…${lastFour})`;
}

/** A text of the service with names in quotes, such as an entry of the audit log. */
export function withNamesIsolated(text: string): string {
  return text.replaceAll(/"([^"]+)"/g, (_, name: string) => `"${isolated(name)}"`);
}
