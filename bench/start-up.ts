import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { buildExecutable } from '../build/executable.ts';
import { CONTESTANTS, type Contestant, executablePetstore } from './contestants.ts';
import { type Bench, setStage } from './measure.ts';
import type { StartCpu, StartUp } from './results.ts';
import { freePort } from './server-process.ts';
import { median } from './statistics.ts';
import type { PreparedStore } from './stores.ts';

/** How often to ask whether the service is ready, in ms. */
const ASK_EVERY = 10;

/** A start that takes longer ends the benchmark, in ms. */
const DEADLINE = 60_000;

interface Start extends StartCpu {
  /** Milliseconds to the first 200. */
  readonly took: number;
}

/**
 * Time and CPU time from spawn to the first 200 of the service on its store, and CPU time until it is ready, from source
 * and as an executable.
 */
export async function measureStartUp(bench: Bench): Promise<StartUp> {
  const store = await bench.stores.ample(bench.scale);
  const file = await buildForBench(bench);
  const petstore: Start[] = [];
  const executable: Start[] = [];
  for (let turn = 1; turn <= bench.scale.startUps; turn += 1) {
    bench.progress(`start-up, ${turn} of ${bench.scale.startUps}`);
    petstore.push(await startPetstore(bench, CONTESTANTS.petstore, store));
    executable.push(await startPetstore(bench, executablePetstore(file), store));
  }
  return {
    petstore: median(petstore.map(({ took }) => took)),
    executable: median(executable.map(({ took }) => took)),
    cpu: { petstore: medians(petstore), executable: medians(executable) },
  };
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
): Promise<Start> {
  const opsPort = await freePort();
  const launch: Contestant['launch'] = async (setting) => {
    const { command, env } = await contestant.launch(setting);
    return { command, env: { ...env, PETSTORE_OPS_PORT: `${opsPort}` } };
  };
  await using stage = await setStage(bench, { ...contestant, launch }, store);
  const { server } = stage;
  await untilReady(opsPort);
  return { took: server.startUp, firstReply: server.startUpCpu, ready: server.cpu() };
}

async function untilReady(opsPort: number): Promise<void> {
  for (let waited = 0; waited < DEADLINE; waited += ASK_EVERY) {
    const reply = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
    await reply.text();
    if (reply.ok) return;
    await Bun.sleep(ASK_EVERY);
  }
  throw new Error('The service did not get ready.');
}

function medians(starts: readonly Start[]): StartCpu {
  return {
    firstReply: median(starts.map(({ firstReply }) => firstReply)),
    ready: median(starts.map(({ ready }) => ready)),
  };
}
