import type { Limits } from '../../core/plans.ts';

/**
 * The processes that shared the same limits at the last heartbeat. While Redis is unavailable each applies its
 * share of every limit: the shares add up to the limit, and none exceeds the limit divided by the number of
 * processes, rounded up.
 */
export class ProcessGroup {
  /** Id of this process. */
  readonly id = crypto.randomUUID();
  #others: readonly string[] = [];

  /** @param ids of all processes in the group. */
  update(ids: readonly string[]): void {
    this.#others = ids.filter((id) => id !== this.id);
  }

  /** The share of each limit that this process applies. */
  share({ perMinute, perDay }: Limits): Limits {
    const size = this.#others.length + 1;
    const rank = this.#others.filter((id) => id < this.id).length;
    const share = (limit: number) => Math.floor(limit / size) + (rank < limit % size ? 1 : 0);
    return { perMinute: share(perMinute), perDay: share(perDay) };
  }
}
