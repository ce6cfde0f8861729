import { CONTESTANTS, type ContestantName } from './contestants.ts';
import { type Bench, measure, storeFor } from './measure.ts';
import type { Results, Sample } from './results.ts';
import { medians } from './statistics.ts';
import { WORKLOADS, type Workload, type WorkloadName } from './workloads.ts';

/**
 * Measures every contestant of each workload once per round, so that other work on the machine affects all of
 * them equally. Returns the medians.
 */
export async function measureRounds(
  bench: Bench,
  names: readonly WorkloadName[],
): Promise<Results['workloads']> {
  const { rounds } = bench.scale;
  const samples = new Map<WorkloadName, Map<ContestantName, Sample[]>>();
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      const ofWorkload = samples.get(name) ?? new Map<ContestantName, Sample[]>();
      samples.set(name, ofWorkload);
      for (const contestant of WORKLOADS[name].contestants) {
        bench.progress(`round ${round} of ${rounds}: ${name}, ${contestant}`);
        const workload: Workload = WORKLOADS[name];
        const store = await storeFor(bench, workload);
        const sample = await measure(bench, CONTESTANTS[contestant], workload, store);
        ofWorkload.set(contestant, [...(ofWorkload.get(contestant) ?? []), sample]);
      }
    }
  }
  return Object.fromEntries(
    [...samples].map(([name, ofWorkload]) => [
      name,
      Object.fromEntries([...ofWorkload].map(([each, taken]) => [each, medians(taken)])),
    ]),
  );
}
