import type { Limits } from '../../core/limits/plans.ts';
import { type RateLimitResult, windowsResult } from '../../core/limits/rate-limit.ts';

/** The state of both windows in the reply of the admission script. */
export function windowsFrom(
  reply: readonly number[],
  { perMinute, perDay }: Limits,
): RateLimitResult {
  const [hasRoom, minuteLeft = 0, minuteEndsIn = 0, dayLeft = 0, dayEndsIn = 0] = reply;
  return windowsResult(
    hasRoom === 1,
    { limit: perMinute, remaining: minuteLeft, resetIn: minuteEndsIn },
    { limit: perDay, remaining: dayLeft, resetIn: dayEndsIn },
  );
}
