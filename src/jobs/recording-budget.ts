/** Priorities when not all replies can be recorded: errors, then rate-limited requests, then the rest. */
export const RANKS = { rest: 0, refusal: 1, error: 2 } as const;
export type Rank = (typeof RANKS)[keyof typeof RANKS];

/**
 * The maximum number of replies that a process considers per second, by rank. Without a maximum, a busy process
 * spends a sixth of its CPU time on the log; with four times these numbers, a twelfth.
 */
export const RECORDED_IN_ALL = [250, 250, 500] as const satisfies readonly number[];

/**
 * Limits the cost of the request log under any number of requests. All replies of one rank in one second are
 * recorded with the same probability, which is derived from the number of replies in the previous second.
 */
export class RecordingBudget {
  #second = 0;
  #seen = zeros();
  #taken = zeros();
  /** The share of the replies that may be recorded, by rank. */
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

/** Counts of 0, by rank. */
export function zeros(): [number, number, number] {
  return [0, 0, 0];
}
