/**
 * Upper bounds of the histogram buckets for durations, in ms. Each is at most 1.5 times the previous one, which
 * limits the error of percentiles.
 */
const BOUNDS: readonly number[] = [0.1, 1, 10, 100, 1_000]
  .flatMap((unit) => [1, 1.5, 2, 3, 5, 7].map((times) => times * unit))
  .concat(10_000);

/** The number of duration buckets; the last one counts the durations above all bounds. */
export const DURATION_BUCKET_COUNT = BOUNDS.length + 1;

/** The number of requests in each duration bucket. */
export type DurationCounts = readonly number[];

/** @param took ms */
export function durationBucket(took: number): number {
  let bucket = 0;
  while (took > (BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
  return bucket;
}

export function addDurations(a: DurationCounts, b: DurationCounts): DurationCounts {
  const sums: number[] = [];
  for (let bucket = 0; bucket < DURATION_BUCKET_COUNT; bucket += 1) {
    sums.push((a[bucket] ?? 0) + (b[bucket] ?? 0));
  }
  return sums;
}

/** The least number of requests whose percentiles say more than their single durations. */
export const LEAST_FOR_PERCENTILES = 20;

/**
 * The duration (ms) that this share of the requests did not exceed; `undefined` for fewer than
 * `LEAST_FOR_PERCENTILES` requests. Assumes an even distribution within a bucket, and has two significant digits,
 * because buckets allow no more. Above all bounds it is the last bound.
 * @param share above 0, at most 1.
 */
export function percentile(counts: DurationCounts, share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total < LEAST_FOR_PERCENTILES) return undefined;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= share * total) {
      const from = BOUNDS[bucket - 1] ?? 0;
      const to = BOUNDS[bucket] ?? from;
      const duration = from + ((to - from) * (share * total - below)) / count;
      return Number(duration.toPrecision(2));
    }
    below += count;
  }
  return BOUNDS.at(-1);
}
