import { CONTESTANTS, type Contestant } from '../contestants.ts';
import type { BuiltContestant } from '../machine.ts';
import { type Bench, measureRun, prepareRun, type Run, storeFor } from '../measure.ts';
import type { Floor, FloorSample } from '../results.ts';
import { WORKLOADS, type Workload } from '../workloads.ts';
import { type Baseline, checkOut } from './baseline.ts';
import { compareReplies } from './compare-replies.ts';

/** Contestants that are measured only on request. */
export const OPTIONAL = ['go', 'rust'] as const satisfies readonly BuiltContestant[];

/** The entries of the table: each contestant under each of these loads. */
const ENTRIES = [
  { workload: 'list-20', contestants: ['bare', 'petstore'] },
  { workload: 'list-20-gzip', contestants: ['petstore'] },
  { workload: 'walk', contestants: ['petstore'] },
  { workload: 'walk-gzip', contestants: ['petstore'] },
  { workload: 'create', contestants: ['bare', 'petstore', 'one-commit-each', 'fastify'] },
  { workload: 'refuse-401', contestants: ['petstore'] },
  { workload: 'refuse-429', contestants: ['petstore'] },
] as const;

interface Entry {
  /** Workload and contestant. */
  readonly name: string;
  readonly contestant: Contestant;
  readonly workload: Workload;
  readonly baseline?: Baseline;
}

/**
 * Compares the service with the bare handler: starts all contestants, then puts one after the other under
 * load for a few seconds, in many rounds, so that other work on the machine affects all contestants equally.
 * Idle contestants only wait.
 * @param optional additional contestants.
 * @param revision an earlier commit of the service to measure in the same run.
 */
export async function measureFloor(
  bench: Bench,
  optional: readonly BuiltContestant[],
  revision: string | undefined,
): Promise<Floor> {
  const { rounds, seconds, warmUp } = bench.scale.floor;
  const scaled = { ...bench, scale: { ...bench.scale, seconds, warmUp } };
  for (const name of ['bare', ...optional] as const) {
    bench.progress(`comparing the replies of ${name} with those of the service`);
    await compareReplies(bench, CONTESTANTS[name]);
  }
  const baseline = revision === undefined ? undefined : await checkOut(bench, revision);
  await using stack = new AsyncDisposableStack();
  const runs = new Map<string, Run>();
  for (const { name, contestant, workload, baseline: earlier } of entries(optional, baseline)) {
    bench.progress(`warming up ${name}`);
    const store = earlier ? await earlier.store() : await storeFor(bench, workload);
    runs.set(name, stack.use(await prepareRun(scaled, contestant, workload, store)));
  }
  const taken: Record<string, FloorSample>[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    bench.progress(`round ${round} of ${rounds}`);
    const samples: Record<string, FloorSample> = {};
    for (const [name, run] of runs) {
      const { cpu, perSecond, p99, memory } = await measureRun(run, seconds);
      samples[name] = { cpu, perSecond, p99, memory };
    }
    taken.push(samples);
  }
  return { rounds: taken, seconds, ...(revision !== undefined && { baseline: revision }) };
}

function entries(optional: readonly BuiltContestant[], baseline: Baseline | undefined): Entry[] {
  return ENTRIES.flatMap(({ workload, contestants }) => {
    const isCompared = workload === 'list-20' || workload === 'create';
    const names = [...contestants, ...(isCompared ? optional : [])];
    // Each process locks its data folder, so each gets a copy, as for a load that writes.
    const onCopy: Workload = { ...WORKLOADS[workload], writes: true };
    const all: Entry[] = names.map((each) => ({
      name: `${workload} ${each}`,
      contestant: CONTESTANTS[each],
      workload: onCopy,
    }));
    if (!baseline || !isCompared) return all;
    const { contestant } = baseline;
    return [...all, { name: `${workload} baseline`, contestant, workload: onCopy, baseline }];
  });
}
