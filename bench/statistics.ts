import type { Sample } from './results.ts';

/** @throws Error when there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('No values.');
  return (lower + upper) / 2;
}

/** @param share 0.99 for the 99th percentile. @throws Error when there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (value === undefined) throw new Error('No values.');
  return value;
}

/** The median of each number over the rounds. */
export function medians(samples: readonly Sample[]): Sample {
  const of = (pick: (sample: Sample) => number) => median(samples.map(pick));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpu: of(({ cpu }) => cpu),
    memory: of(({ memory }) => memory),
    startUp: of(({ startUp }) => startUp),
    bytes: of(({ bytes }) => bytes),
    saturated: samples.filter(({ saturated }) => saturated).length * 2 > samples.length,
  };
}
