import type { RateLimitResult } from '../core/rate-limit.ts';

/** Upper bounds of the latency histogram's buckets, in seconds. */
export const LATENCY_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

const BOUNDS = Float64Array.from(LATENCY_BUCKETS, (seconds) => seconds * 1_000);

/** Replies of one operation with one status. */
export interface ReplySeries {
  readonly operation: string;
  readonly status: number;
  /** How many took as long as each bucket says, and longer than the one before; the rest last. */
  readonly buckets: Float64Array;
  /** Of all of them, in ms. */
  took: number;
}

type Outcome = RateLimitResult['outcome'];

/**
 * Counts replies as they are sent. It is on the way of every request, so that it only adds to
 * numbers; the library that Prometheus is answered with reads them when somebody collects.
 */
export class ReplyCounts {
  readonly #byOperation = new Map<string, Map<number, ReplySeries>>();
  readonly #decisions = { admitted: 0, limited: 0, banned: 0 } satisfies Record<Outcome, number>;

  /** Notes a reply. @param took ms */
  replied(operation: string, status: number, outcome: Outcome, took: number): void {
    const series = this.#byOperation.get(operation)?.get(status) ?? this.#add(operation, status);
    let bucket = 0;
    while (took > (BOUNDS[bucket] ?? Infinity)) bucket += 1;
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
    series.took += took;
    this.#decisions[outcome] += 1;
  }

  *series(): Generator<Readonly<ReplySeries>> {
    for (const byStatus of this.#byOperation.values()) yield* byStatus.values();
  }

  /** Requests by what the limits said. */
  get decisions(): Readonly<Record<Outcome, number>> {
    return this.#decisions;
  }

  #add(operation: string, status: number): ReplySeries {
    const buckets = new Float64Array(BOUNDS.length + 1);
    const series = { operation, status, buckets, took: 0 };
    const byStatus = this.#byOperation.get(operation) ?? new Map<number, ReplySeries>();
    this.#byOperation.set(operation, byStatus.set(status, series));
    return series;
  }
}
