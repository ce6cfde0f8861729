import { LRUCache } from 'lru-cache';
import type { AttemptCounter, AttemptLimiter } from '../../core/limits/attempts.ts';
import { type QuotaState, takeQuota, unusedQuota } from '../../core/limits/quota.ts';
import { type RateLimitResult, tightestResult } from '../../core/limits/rate-limit.ts';
import type { Instant } from '../../lib/clock.ts';

/** The maximum number of callers of one kind in memory; above it the least recently used is dropped. */
const MOST_CALLERS = 100_000;

/** Counts the attempts of this process only. */
export class MemoryAttemptLimiter implements AttemptLimiter {
  /** By kind of caller (the text before the first colon), so that one kind cannot displace another. */
  readonly #kinds = new Map<string, LRUCache<string, QuotaState>>();

  take(counters: readonly AttemptCounter[], now: Instant): RateLimitResult {
    const checked = counters.map(({ caller, limits }) =>
      takeQuota(this.#stateOf(caller), limits, now, 0),
    );
    const decision = tightestResult(checked);
    if (decision.outcome !== 'admitted') return decision;
    const counted = counters.map(({ caller, limits, cost = 1 }) => {
      const state = this.#stateOf(caller);
      this.#statesLike(caller).set(caller, state);
      return takeQuota(state, limits, now, cost);
    });
    return tightestResult(counted);
  }

  giveBack(counters: readonly AttemptCounter[]): void {
    for (const { caller, cost = 1 } of counters) {
      const state = this.#statesLike(caller).get(caller);
      if (!state) continue;
      const { minuteUsed, dayUsed } = state;
      state.minuteUsed = Math.max(0, minuteUsed - cost);
      state.dayUsed = Math.max(0, dayUsed - cost);
    }
  }

  #stateOf(caller: string): QuotaState {
    return this.#statesLike(caller).get(caller) ?? unusedQuota();
  }

  #statesLike(caller: string): LRUCache<string, QuotaState> {
    const kind = caller.slice(0, caller.indexOf(':'));
    const known = this.#kinds.get(kind);
    if (known) return known;
    const states = new LRUCache<string, QuotaState>({ max: MOST_CALLERS });
    this.#kinds.set(kind, states);
    return states;
  }
}
