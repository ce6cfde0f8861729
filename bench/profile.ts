import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { profiledPetstore } from './contestants.ts';
import { runLoad } from './load.ts';
import { type Bench, prepareLoad, setStage, storeFor } from './measure.ts';
import { table } from './report.ts';
import { WORKLOADS, type Workload, type WorkloadName } from './workloads.ts';

const ROOT = join(import.meta.dir, '..');
const FOLDER = join(import.meta.dir, 'profiles');
const SHOWN = 30;

const Profile = Type.Object({
  nodes: Type.Array(
    Type.Object({
      id: Type.Number(),
      callFrame: Type.Object({
        functionName: Type.String(),
        url: Type.String(),
        lineNumber: Type.Number(),
      }),
    }),
  ),
  samples: Type.Array(Type.Number()),
  timeDeltas: Type.Array(Type.Number()),
});
type Profile = Static<typeof Profile>;

interface SelfTime {
  readonly name: string;
  /** Of the samples. */
  readonly share: number;
}

/**
 * Profiles the service under a workload; gives the file, and where the time went as a table that is
 * kept beside it.
 */
export async function profile(
  bench: Bench,
  name: WorkloadName,
): Promise<{ file: string; summary: string }> {
  const workload: Workload = WORKLOADS[name];
  using store = bench.stores.copy(await storeFor(bench, workload));
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name}.cpuprofile`);
  {
    const contestant = profiledPetstore(FOLDER, basename(file));
    await using stage = await setStage(bench, contestant, store);
    bench.progress(`profiling ${name}`);
    const load = await prepareLoad(bench, stage, workload);
    await runLoad({ ...load, seconds: bench.scale.seconds });
  }
  const content = Value.Parse(Profile, JSON.parse(readFileSync(file, 'utf8')));
  const rows = selfTimes(content)
    .slice(0, SHOWN)
    .map((each) => [each.name, `${(each.share * 100).toFixed(1)} %`]);
  const summary = table(['function', 'self time'], rows);
  writeFileSync(join(FOLDER, `${name}.md`), `${summary}\n`);
  return { file: relative(ROOT, file), summary };
}

function selfTimes({ nodes, samples, timeDeltas }: Profile): SelfTime[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, describe(callFrame)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? '(unknown)';
    if (name === '(idle)') continue;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const all = times.values().reduce((sum, time) => sum + time, 0);
  return [...times]
    .map(([name, time]) => ({ name, share: time / all }))
    .sort((a, b) => b.share - a.share);
}

function describe({
  functionName,
  url,
  lineNumber,
}: Profile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  return url === '' ? name : `${name} ${basename(url)}:${lineNumber + 1}`;
}
