import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { runLoad } from './load.ts';
import { type Bench, CONNECTIONS } from './measure.ts';
import { freePort, ServerProcess } from './server-process.ts';
import { firstKey } from './stores.ts';
import type { Workload } from './workloads.ts';

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

export interface SelfTime {
  readonly name: string;
  /** Of the samples. */
  readonly share: number;
}

/** Profiles the service under the load; gives the file and where the time went. */
export async function profile(
  bench: Bench,
  { kind }: Workload,
): Promise<{ file: string; top: SelfTime[] }> {
  using store = bench.stores.copy(await bench.stores.ample(bench.scale));
  const port = await freePort();
  mkdirSync(FOLDER, { recursive: true });
  const name = `${kind}.cpuprofile`;
  const options = ['--cpu-prof', `--cpu-prof-dir=${FOLDER}`, `--cpu-prof-name=${name}`];
  {
    await using _server = await ServerProcess.start({
      command: [process.execPath, ...options, join(ROOT, 'src/main.ts'), 'serve'],
      env: { PETSTORE_PORT: String(port), PETSTORE_DATA_DIR: store.folder },
      port,
      readyPath: '/v1/pets',
      readyKey: firstKey(store),
      log: join(bench.folder, 'profile.log'),
    });
    bench.progress(`profiling ${kind}`);
    await runLoad({
      ...{ port, kind, base: '/v1', animals: store.animals, keys: store.keyFile },
      connections: CONNECTIONS,
      seconds: bench.scale.seconds,
    });
  }
  const file = join(FOLDER, name);
  const content = Value.Parse(Profile, JSON.parse(readFileSync(file, 'utf8')));
  return { file: relative(ROOT, file), top: selfTimes(content).slice(0, SHOWN) };
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
