import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Value } from 'typebox/value';
import { profiledPetstore } from './contestants.ts';
import { foldedStacks, frameName, Profile, timesOf } from './folded-stacks.ts';
import { runLoad } from './load.ts';
import { type Bench, prepareLoad, setStage, storeFor } from './measure.ts';
import { table } from './table.ts';
import { WORKLOADS, type Workload, type WorkloadName } from './workloads.ts';

const ROOT = join(import.meta.dir, '..');
const FOLDER = join(import.meta.dir, 'profiles');
const SHOWN = 30;

interface SelfTime {
  readonly name: string;
  /** Fraction of the samples. */
  readonly share: number;
}

/**
 * Profiles the service under a workload. Returns the profile and a table of the self times; the table and the
 * folded stacks are saved next to the profile.
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
  writeFileSync(join(FOLDER, `${name}.folded`), foldedStacks(content));
  return { file: relative(ROOT, file), summary };
}

function selfTimes(profile: Profile): SelfTime[] {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, frameName(callFrame)]));
  const times = new Map<string, number>();
  for (const [id, time] of timesOf(profile)) {
    const name = names.get(id) ?? '(unknown)';
    if (name !== '(idle)') times.set(name, (times.get(name) ?? 0) + time);
  }
  const all = times.values().reduce((sum, time) => sum + time, 0);
  return [...times]
    .map(([name, time]) => ({ name, share: time / all }))
    .sort((a, b) => b.share - a.share);
}
