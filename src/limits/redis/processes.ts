import type { Limits } from '../../core/plans.ts';

/**
 * This process among all that count the same requests, as Redis last told. While Redis is away each
 * takes its share of every limit; the shares of all add up to the limit, and none is more than the
 * limit by the number of processes, rounded up.
 */
export class Processes {
  readonly id = crypto.randomUUID();
  #others: readonly string[] = [];

  /** Takes note of the ids of all. */
  note(ids: readonly string[]): void {
    this.#others = ids.filter((id) => id !== this.id);
  }

  get count(): number {
    return this.#others.length + 1;
  }

  share({ perMinute, perDay }: Limits): Limits {
    const rank = this.#others.filter((id) => id < this.id).length;
    const share = (limit: number) =>
      Math.floor(limit / this.count) + (rank < limit % this.count ? 1 : 0);
    return { perMinute: share(perMinute), perDay: share(perDay) };
  }
}
