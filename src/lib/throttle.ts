import { LRUCache } from 'lru-cache';

/** The keys that are remembered; of more at the same time the oldest are forgotten. */
const MOST_KEYS = 10_000;

/** Admits each key at most once in an interval. */
export class Throttle {
  readonly #interval: number;
  readonly #admitted = new LRUCache<string, number>({ max: MOST_KEYS });

  /** @param interval in ms. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** @param now in ms, on the clock's `elapsed` reading. */
  admits(key: string, now: number): boolean {
    const last = this.#admitted.get(key);
    if (last !== undefined && now - last < this.#interval) return false;
    this.#admitted.set(key, now);
    return true;
  }
}
