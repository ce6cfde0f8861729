import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../lib/clock.ts';

/** The maximum number of callers; above it the least recently used is dropped. */
const CAPACITY = 100_000;
/** Admissions are counted in slices of this time, in ms. */
const SLICE = 5 * SECOND;
/** A minute, and the slice that began before it. */
const SLICES = MINUTE / SLICE + 1;

/** The admissions of one caller by slice, the number of slices since the start of the clock. */
type Slices = Map<number, number>;

/**
 * The requests that were admitted locally within the last minute. In contrast to a fixed window, whose limit may be
 * used at its end and again at the start of the next one, no minute of Redis has more of them than the limit, at
 * whatever time it begins. Times are on the elapsed scale of the caller.
 */
export class RecentAdmissions {
  readonly #callers = new LRUCache<string, Slices>({ max: CAPACITY });

  /** How many requests were admitted within the last minute, and the up to 5 s before it. */
  count(caller: string, elapsed: number): number {
    return this.#current(caller, elapsed)
      .values()
      .reduce((sum, each) => sum + each, 0);
  }

  /** Time until fewer than `limit` count, in ms; a minute if that never happens. */
  resetIn(caller: string, limit: number, elapsed: number): number {
    let used = this.count(caller, elapsed);
    for (const [slice, admitted] of this.#current(caller, elapsed)) {
      used -= admitted;
      if (used < limit) return (slice + SLICES) * SLICE - elapsed;
    }
    return MINUTE;
  }

  add(caller: string, elapsed: number): void {
    this.#change(caller, elapsed, 1);
  }

  /** Subtracts a request that was added at this time, but not admitted. */
  subtract(caller: string, elapsed: number): void {
    this.#change(caller, elapsed, -1);
  }

  /** Drops the requests of a caller. */
  drop(caller: string): void {
    this.#callers.delete(caller);
  }

  clear(): void {
    this.#callers.clear();
  }

  #change(caller: string, elapsed: number, by: 1 | -1): void {
    const slices = this.#current(caller, elapsed);
    const slice = Math.floor(elapsed / SLICE);
    slices.set(slice, Math.max(0, (slices.get(slice) ?? 0) + by));
    this.#callers.set(caller, slices);
  }

  /** The slices that have not expired, the oldest first. */
  #current(caller: string, elapsed: number): Slices {
    const slices = this.#callers.get(caller) ?? new Map<number, number>();
    const latest = Math.floor(elapsed / SLICE);
    for (const slice of slices.keys()) {
      // The clock of a sandbox may have been set back.
      if (slice <= latest - SLICES || slice > latest) slices.delete(slice);
    }
    return slices;
  }
}
