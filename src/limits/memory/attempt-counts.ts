import { LRUCache } from 'lru-cache';
import type { AttemptCounter, AttemptCounts } from '../../core/attempts.ts';
import { type QuotaState, takeQuota, unusedQuota } from '../../core/quota.ts';
import type { Instant } from '../../lib/clock.ts';

/** Callers in memory at the same time; past it the least recently used is dropped. */
const MOST_CALLERS = 100_000;

/** Limits the attempts in this process alone. */
export class MemoryAttemptCounts implements AttemptCounts {
  /** By caller. */
  readonly #states = new LRUCache<string, QuotaState>({ max: MOST_CALLERS });

  take(counters: readonly AttemptCounter[], now: Instant): number | undefined {
    for (const { caller, limits } of counters) {
      const { outcome, resetIn } = takeQuota(this.#stateOf(caller), limits, now, 0);
      if (outcome !== 'admitted') return resetIn;
    }
    for (const { caller, limits } of counters) {
      const state = this.#stateOf(caller);
      takeQuota(state, limits, now, 1);
      this.#states.set(caller, state);
    }
    return undefined;
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
