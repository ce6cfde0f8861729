import {
  addCounts,
  NO_USAGE,
  OUTCOMES,
  type Outcome,
  type UsageCounts,
} from '../../../core/usage.ts';
import type { UsageBucket } from '../../shared/api.ts';

/** The labels of the outcomes, and the CSS variables of their colours. */
export const OUTCOME_STYLES: Readonly<Record<Outcome, { title: string; color: string }>> = {
  succeeded: { title: 'Succeeded', color: 'var(--usage-succeeded)' },
  clientErrors: { title: 'Client errors', color: 'var(--usage-client-errors)' },
  limited: { title: 'Limited', color: 'var(--usage-limited)' },
  serverErrors: { title: 'Server errors', color: 'var(--usage-server-errors)' },
};

/** A period whose requests are shown in smaller buckets. */
export type Span = 'hours' | 'days';

/** The outcomes that are shown: always those that clients cause, server errors only where there are any. */
export function shownOutcomes(total: UsageCounts): readonly Outcome[] {
  return OUTCOMES.filter((outcome) => outcome !== 'serverErrors' || total.serverErrors > 0);
}

export function totalOf(buckets: readonly UsageBucket[]): UsageCounts {
  return buckets.reduce<UsageCounts>(addCounts, NO_USAGE);
}

export function requestsOf(counts: UsageCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

const COUNT = new Intl.NumberFormat();

/** A count in the reader's number format. */
export function countText(count: number): string {
  return COUNT.format(count);
}

const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The beginning of a bucket: hours in the reader's time zone, days in UTC. */
export function bucketText(span: Span, from: number): string {
  return (span === 'hours' ? HOUR : DAY).format(from);
}
