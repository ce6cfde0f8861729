/** What is recorded first when there is not room for all: errors, then refusals by the limits, then the rest. */
export const RANKS = { rest: 0, refusal: 1, error: 2 } as const;
export type Rank = (typeof RANKS)[keyof typeof RANKS];

/**
 * The most replies of each rank that a process considers in one second. Without a bound, a busy process spends
 * a sixth of its CPU time on the log; with four times these numbers, a twelfth.
 */
export const RECORDED_IN_ALL = [250, 250, 500] as const satisfies readonly number[];

/**
 * Bounds what the request log costs, however many requests there are. Of the replies of one rank and second each
 * has the same chance, which follows from how many there were in the second before.
 */
export class RecordingBudget {
  #second = 0;
  #seen = zeros();
  #taken = zeros();
  /** The share of the replies that is taken, by rank. */
  #share: [number, number, number] = [1, 1, 1];

  /**
   * Whether a reply may be recorded.
   * @param second whole seconds since the Unix epoch.
   */
  takes(second: number, rank: Rank): boolean {
    if (second !== this.#second) this.#begin(second);
    this.#seen[rank] += 1;
    if (this.#taken[rank] >= RECORDED_IN_ALL[rank]) return false;
    const share = this.#share[rank];
    if (share < 1 && Math.random() >= share) return false;
    this.#taken[rank] += 1;
    return true;
  }

  #begin(second: number): void {
    const seen = second === this.#second + 1 ? this.#seen : zeros();
    const shareOf = (rank: Rank) => Math.min(1, RECORDED_IN_ALL[rank] / seen[rank]);
    this.#share = [shareOf(RANKS.rest), shareOf(RANKS.refusal), shareOf(RANKS.error)];
    this.#second = second;
    this.#seen = zeros();
    this.#taken = zeros();
  }
}

/** A count of nothing, by rank. */
export function zeros(): [number, number, number] {
  return [0, 0, 0];
}
