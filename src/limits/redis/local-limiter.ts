import type { QuotaCaller } from '../../core/limits/limiter.ts';
import type { Limits } from '../../core/limits/plans.ts';
import {
  describedWindow,
  type RateLimitResult,
  type WindowUsage,
} from '../../core/limits/rate-limit.ts';
import type { Instant } from '../../lib/clock.ts';
import type { MemoryLimiter } from '../memory/limiter.ts';
import { LocalCounts } from './local-counts.ts';
import type { ProcessGroup } from './process-group.ts';
import { RecentAdmissions } from './recent-admissions.ts';

/** Decides in this process, with its share of each limit, while Redis is unavailable. */
export class LocalLimiter {
  /** Admitted requests, to be added to the counts in Redis. */
  readonly counts = new LocalCounts();
  readonly #recent = new RecentAdmissions();
  readonly #memory: MemoryLimiter;
  readonly #group: ProcessGroup;
  #lastAdmission: number | undefined;

  /** @param memory counts the requests of the day, and the strikes of keys. */
  constructor(memory: MemoryLimiter, group: ProcessGroup) {
    this.#memory = memory;
    this.#group = group;
  }

  /** When a request was last admitted, on the elapsed scale of this process. */
  get lastAdmission(): number | undefined {
    return this.#lastAdmission;
  }

  async take(caller: QuotaCaller, now: Instant): Promise<RateLimitResult> {
    const { id, clockOffset = 0 } = caller;
    const share = this.#shareOf(caller, now);
    const withRoom = this.#withRoom(caller, share, now);
    // Counted before the decision, so that no other request takes the same room meanwhile.
    this.#recent.add(id, now.elapsed);
    const result = await this.#memory.take(withRoom, now);
    if (result.outcome === 'admitted') {
      this.#lastAdmission = now.elapsed - clockOffset;
      this.counts.add(id, result, now, clockOffset);
    } else {
      this.#recent.subtract(id, now.elapsed);
    }
    return this.#describe(result, caller, share, now);
  }

  async peek(caller: QuotaCaller, now: Instant): Promise<RateLimitResult> {
    const share = this.#shareOf(caller, now);
    const result = await this.#memory.peek(this.#withRoom(caller, share, now), now);
    return this.#describe(result, caller, share, now);
  }

  /** Drops the requests of a caller. */
  drop(caller: string): void {
    this.#recent.drop(caller);
    this.counts.drop(caller);
  }

  clear(): void {
    this.#recent.clear();
    this.counts.clear();
  }

  #shareOf({ limits, clockOffset = 0 }: QuotaCaller, { wall, elapsed }: Instant): Limits {
    return this.#group.share(limits, { wall, elapsed: elapsed - clockOffset });
  }

  /** The minute is limited here; the memory limiter only needs to know whether there is room. */
  #withRoom(caller: QuotaCaller, { perMinute, perDay }: Limits, now: Instant): QuotaCaller {
    const hasRoom = this.#recent.count(caller.id, now.elapsed) < perMinute;
    return { ...caller, limits: { perMinute: hasRoom ? Number.MAX_SAFE_INTEGER : 0, perDay } };
  }

  /** The result with the full limits, which callers know, and what remains of the share. */
  #describe(
    result: RateLimitResult,
    { id, limits }: QuotaCaller,
    share: Limits,
    now: Instant,
  ): RateLimitResult {
    const { perMinute, perDay } = limits;
    const remaining = Math.max(0, share.perMinute - this.#recent.count(id, now.elapsed));
    const resetIn =
      remaining > 0
        ? result.minute.resetIn
        : this.#recent.resetIn(id, share.perMinute, now.elapsed);
    const minute: WindowUsage = { limit: perMinute, remaining, resetIn };
    const day: WindowUsage = { ...result.day, limit: perDay };
    const described = describedWindow(result.outcome === 'admitted', minute, day);
    if (result.outcome !== 'banned') return { ...result, ...described, minute, day };
    return { ...result, limit: described.limit, minute, day };
  }
}
