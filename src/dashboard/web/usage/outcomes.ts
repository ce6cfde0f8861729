import {
  OUTCOMES,
  type Outcome,
  requestsOf,
  type UsageCounts,
} from '../../../core/requests/usage.ts';
import { dateTimeText, shareText, timeText, utcDayText } from '../common/format.ts';

/** The labels of the outcomes, and the CSS variables of their colours. */
export const OUTCOME_STYLES: Readonly<Record<Outcome, { title: string; color: string }>> = {
  succeeded: { title: 'Succeeded', color: 'var(--usage-succeeded)' },
  clientErrors: { title: 'Client errors', color: 'var(--usage-client-errors)' },
  limited: { title: '429', color: 'var(--usage-limited)' },
  serverErrors: { title: 'Server errors', color: 'var(--usage-server-errors)' },
};

/** The length of the buckets that are shown. */
export type Span = 'hours' | 'days';

/** The outcomes that are shown: server errors only if there are any, all others always. */
export function shownOutcomes(total: UsageCounts): readonly Outcome[] {
  return OUTCOMES.filter((outcome) => outcome !== 'serverErrors' || total.serverErrors > 0);
}

/** The share of requests that did not succeed, such as "4.2 %"; a dash without requests. */
export function errorShareText(counts: UsageCounts): string {
  const requests = requestsOf(counts);
  return requests === 0 ? '–' : shareText(1 - counts.succeeded / requests);
}

/** A duration (ms) of a reply, in milliseconds or seconds; a dash where there are too few requests. */
export function tookText(duration: number | null): string {
  if (duration === null) return '–';
  return duration < 1_000 ? `${duration} ms` : `${duration / 1_000} s`;
}

/** The start of a bucket with its day. */
export function bucketTitle(span: Span, from: number): string {
  return span === 'hours' ? dateTimeText(from) : `${utcDayText(from)} (UTC)`;
}

/** The start of a bucket: hours in the reader's time zone, days in UTC. */
export function bucketText(span: Span, from: number): string {
  return span === 'hours' ? timeText(from) : utcDayText(from);
}
