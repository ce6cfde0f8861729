/**
 * The benchmark: `npm run bench [-- NAME...] [--quick] [--rounds N] [--seconds N]`. Without a name, it runs
 * all workloads, the floor and the mix; `all` adds the other sections. See docs/performance.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchChanges } from './changes.ts';
import { killChildren } from './children.ts';
import { benchCitus } from './citus/command.ts';
import { benchCluster, writeClusterDocumentation } from './cluster/command.ts';
import { latestClusterResults } from './cluster/results.ts';
import { measureFloor, OPTIONAL } from './floor/measure.ts';
import { measureGrowth } from './growth.ts';
import {
  CannotRun,
  describeMachine,
  describePeers,
  describeRevision,
  requireTools,
  stayOffServerCore,
} from './machine.ts';
import type { Bench } from './measure.ts';
import { measureMemory } from './memory.ts';
import { measureMix } from './mix.ts';
import { type Options, readOptions, type Scale } from './options.ts';
import { profile } from './profile.ts';
import { report, writeDocumentation } from './report.ts';
import {
  type Circumstances,
  latestResults,
  openResults,
  type Results,
  saveResults,
} from './results.ts';
import { measureRounds } from './rounds.ts';
import { benchSaving } from './saving.ts';
import { benchSearch } from './search.ts';
import { measureStartUp } from './start-up.ts';
import { StoreShelf } from './stores.ts';
import { measureThrowaway } from './throwaway.ts';
import { isWorkload, WORKLOADS } from './workloads.ts';

const SECTIONS = ['floor', 'mix', 'growth', 'start-up', 'throwaway', 'memory'] as const;
type Section = (typeof SECTIONS)[number];

const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killChildren();
    process.exit(1);
  });
}

try {
  await main();
} catch (error) {
  killChildren();
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = error instanceof CannotRun ? 2 : 1;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const { names, scale } = options;
  const progress = (text: string) => console.error(`  ${text}`);
  const bench = { scale, folder, stores: new StoreShelf(folder, progress), progress };
  const [first, profiled = 'list-20'] = names;
  if (first === 'profile') {
    requireTools({ peers: false });
    stayOffServerCore();
    return printProfile(bench, profiled);
  }
  if (first === 'search') {
    stayOffServerCore();
    return benchSearch(bench);
  }
  if (first === 'saving') {
    stayOffServerCore();
    return benchSaving(bench);
  }
  if (first === 'changes') {
    requireTools({ peers: false });
    stayOffServerCore();
    return benchChanges(bench, options.baseline);
  }
  if (first === 'report') return rewriteReports();
  if (first === 'cluster') return benchCluster(bench, options);
  if (first === 'citus') return benchCitus(bench, options);
  const parts = chooseParts(options);
  const peers = parts.workloads.length > 0 || parts.sections.includes('floor');
  requireTools({ peers, built: parts.optional });
  stayOffServerCore();
  const circumstances = circumstancesOf(scale);
  if (scale.quick) {
    const before = { ...circumstances, workloads: {} };
    console.log(report(await run(bench, parts, before, () => {})));
    return;
  }
  const { results: before, path } = openResults(circumstances);
  const save = (results: Results) => saveResults(path, results);
  console.log(report(await run(bench, parts, before, save)));
  console.log('\nTo show these results in docs/performance.md, run: npm run bench -- report');
}

function chooseParts({ names, baseline }: Options) {
  const everything = names.includes('all');
  const isSection = (name: string): name is Section => SECTIONS.some((each) => each === name);
  const optional = OPTIONAL.filter((name) => names.includes(name));
  const known = [...Object.keys(WORKLOADS), ...SECTIONS, ...OPTIONAL, 'all'];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const all = [
      ...known,
      'profile',
      'saving',
      'search',
      'changes',
      'cluster',
      'citus',
      'report',
    ].join(', ');
    throw new CannotRun(`There is no ${unknown.join(', ')}. Use some of: ${all}.`);
  }
  const asked = names.length === 0 ? [...Object.keys(WORKLOADS), 'floor', 'mix'] : names;
  return {
    workloads: everything ? Object.keys(WORKLOADS).filter(isWorkload) : asked.filter(isWorkload),
    sections: everything ? SECTIONS : asked.filter(isSection),
    optional,
    baseline,
  };
}

/** Measures one section after the other and saves the results after each. */
async function run(
  bench: Bench,
  { workloads, sections, optional, baseline }: ReturnType<typeof chooseParts>,
  before: Results,
  save: (results: Results) => void,
): Promise<Results> {
  let results = before;
  const add = (measured: Partial<Results>) => {
    results = { ...results, ...measured };
    save(results);
  };
  if (workloads.length > 0) {
    const measured = await measureRounds(bench, workloads);
    add({ workloads: { ...before.workloads, ...measured } });
  }
  if (sections.includes('floor')) add({ floor: await measureFloor(bench, optional, baseline) });
  if (sections.includes('mix')) add({ mix: await measureMix(bench) });
  if (sections.includes('start-up')) add({ startUp: await measureStartUp(bench) });
  if (sections.includes('throwaway')) add({ throwaway: await measureThrowaway(bench) });
  if (sections.includes('memory')) add({ memory: await measureMemory(bench) });
  if (sections.includes('growth')) add({ growth: await measureGrowth(bench) });
  return results;
}

function circumstancesOf({ rounds, seconds, warmUp, pets, accounts, quick }: Scale): Circumstances {
  const scale = [
    `${pets.toLocaleString('en-US')} pets, ${accounts.toLocaleString('en-US')} accounts`,
    `medians of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${seconds} s each after ${warmUp} s of warm-up`,
    ...(quick ? ['a quick look, not a measurement'] : []),
  ].join('; ');
  const date = new Date().toISOString().slice(0, 10);
  return {
    ...{ date, scale, revision: describeRevision() },
    ...{ machine: describeMachine(), peers: describePeers() },
  };
}

/** Rewrites the tables of the documentation from the results saved last. */
function rewriteReports(): void {
  const results = latestResults();
  if (results) writeDocumentation(results);
  const cluster = latestClusterResults();
  if (cluster) writeClusterDocumentation(cluster);
}

async function printProfile(bench: Bench, name: string): Promise<void> {
  if (!isWorkload(name)) throw new CannotRun(`There is no workload ${name} to profile.`);
  const { file, summary } = await profile(bench, name);
  console.log(`${summary}\n\nThe whole profile: ${file}`);
}
