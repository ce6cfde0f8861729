import type { Limits } from '../../core/plans.ts';
import type { QuotaDecision } from '../../core/quota.ts';

/** What the script that admits says of both windows. */
export function decisionFrom(
  reply: readonly number[],
  { perMinute, perDay }: Limits,
): Omit<QuotaDecision, 'state'> {
  const [hasRoom, minuteLeft = 0, minuteEndsIn = 0, dayLeft = 0, dayEndsIn = 0] = reply;
  return {
    admitted: hasRoom === 1,
    minute: { limit: perMinute, remaining: minuteLeft, resetIn: minuteEndsIn },
    day: { limit: perDay, remaining: dayLeft, resetIn: dayEndsIn },
  };
}
