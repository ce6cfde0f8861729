import type { AttemptCounter, AttemptCounts } from '../../core/attempts.ts';
import { decideQuota, governingWindow, type QuotaState } from '../../core/quota.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Instant } from '../../lib/clock.ts';

/** Callers remembered at the same time; past it the one that was quiet the longest is forgotten. */
const MOST_CALLERS = 100_000;

/** Counts the attempts of this process. */
export class MemoryAttemptCounts implements AttemptCounts {
  /** By caller, the one that was quiet the longest first. */
  readonly #states = new BoundedMap<string, QuotaState>(MOST_CALLERS);

  take(counters: readonly AttemptCounter[], now: Instant): number | undefined {
    for (const { caller, limits } of counters) {
      const decision = decideQuota(this.#states.get(caller), limits, now, 0);
      if (!decision.admitted) return governingWindow(decision).resetIn;
    }
    for (const { caller, limits } of counters) {
      const { state } = decideQuota(this.#states.get(caller), limits, now, 1);
      if (state) this.#keep(caller, state);
    }
    return undefined;
  }

  giveBack(counters: readonly AttemptCounter[]): void {
    for (const { caller } of counters) {
      const state = this.#states.get(caller);
      if (!state) continue;
      const { minuteUsed, dayUsed } = state;
      this.#states.set(caller, {
        ...state,
        minuteUsed: Math.max(0, minuteUsed - 1),
        dayUsed: Math.max(0, dayUsed - 1),
      });
    }
  }

  #keep(caller: string, state: QuotaState): void {
    this.#states.delete(caller);
    this.#states.put(caller, state);
  }
}
