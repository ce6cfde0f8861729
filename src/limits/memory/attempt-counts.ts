import { LRUCache } from 'lru-cache';
import type { AttemptCounter, AttemptCounts } from '../../core/attempts.ts';
import { type QuotaState, takeQuota, unusedQuota } from '../../core/quota.ts';
import { type RateLimitResult, tightestResult } from '../../core/rate-limit.ts';
import type { Instant } from '../../lib/clock.ts';

/** Callers in memory at the same time; past it the least recently used is dropped. */
const MOST_CALLERS = 100_000;

/** Limits the attempts in this process alone. */
export class MemoryAttemptCounts implements AttemptCounts {
  /** By caller. */
  readonly #states = new LRUCache<string, QuotaState>({ max: MOST_CALLERS });

  take(counters: readonly AttemptCounter[], now: Instant): RateLimitResult {
    const checked = counters.map(({ caller, limits }) =>
      takeQuota(this.#stateOf(caller), limits, now, 0),
    );
    const decision = tightestResult(checked);
    if (decision.outcome !== 'admitted') return decision;
    const counted = counters.map(({ caller, limits }) => {
      const state = this.#stateOf(caller);
      this.#states.set(caller, state);
      return takeQuota(state, limits, now, 1);
    });
    return tightestResult(counted);
  }

  giveBack(counters: readonly AttemptCounter[]): void {
    for (const { caller } of counters) {
      const state = this.#states.get(caller);
      if (!state) continue;
      const { minuteUsed, dayUsed } = state;
      state.minuteUsed = Math.max(0, minuteUsed - 1);
      state.dayUsed = Math.max(0, dayUsed - 1);
    }
  }

  #stateOf(caller: string): QuotaState {
    return this.#states.get(caller) ?? unusedQuota();
  }
}
