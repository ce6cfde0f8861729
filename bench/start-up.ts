import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { buildExecutable } from '../build/executable.ts';
import { CONTESTANTS, type Contestant, executablePetstore } from './contestants.ts';
import { type Bench, setStage } from './measure.ts';
import type { StartUp } from './results.ts';
import { median } from './statistics.ts';
import type { PreparedStore } from './stores.ts';

/** Time from spawn to the first 200 of the service on its store, from source and as an executable. */
export async function measureStartUp(bench: Bench): Promise<StartUp> {
  const store = await bench.stores.ample(bench.scale);
  const file = await buildForBench(bench);
  const petstore: number[] = [];
  const executable: number[] = [];
  for (let turn = 1; turn <= bench.scale.startUps; turn += 1) {
    bench.progress(`start-up, ${turn} of ${bench.scale.startUps}`);
    petstore.push(await startPetstore(bench, CONTESTANTS.petstore, store));
    executable.push(await startPetstore(bench, executablePetstore(file), store));
  }
  return { petstore: median(petstore), executable: median(executable) };
}

/** Builds the executable of the service; returns its path. */
export function buildForBench({ folder, progress }: Bench): Promise<string> {
  progress('building the executable');
  return buildExecutable(mkdtempSync(join(folder, 'executable-')));
}

async function startPetstore(
  bench: Bench,
  contestant: Contestant,
  store: PreparedStore,
): Promise<number> {
  await using stage = await setStage(bench, contestant, store);
  return stage.server.startUp;
}
