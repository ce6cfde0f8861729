import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { readReadyFile } from '../src/throwaway/ready-file.ts';
import { startPetstore } from '../testing/src/index.ts';
import { tracked } from './children.ts';
import { onEveryCore } from './machine.ts';
import type { Bench } from './measure.ts';
import type { Throwaway } from './results.ts';
import { withoutSettings } from './server-process.ts';
import { buildForBench } from './start-up.ts';
import { median } from './statistics.ts';

/** Tests in the measured suite; each starts with a reset. */
const TESTS = 100;

/** Pets in the store at the start of each test. */
const PETS = 20;

/** Milliseconds between two checks for the ready file. */
const PAUSE = 1;

/** The start and the resets of throwaway services, with the executable. They may use every core. */
export async function measureThrowaway(bench: Bench): Promise<Throwaway> {
  const file = await buildForBench(bench);
  const firstReplies: number[] = [];
  for (let turn = 1; turn <= bench.scale.startUps; turn += 1) {
    bench.progress(`throwaway services, ${turn} of ${bench.scale.startUps}`);
    firstReplies.push(await timeOfFirstReply(bench, file));
  }
  const resets: number[] = [];
  for (let round = 1; round <= bench.scale.rounds; round += 1) {
    bench.progress(`resets, ${round} of ${bench.scale.rounds}`);
    resets.push(await timeOfResets(file));
  }
  return { firstReply: median(firstReplies), resets: median(resets) };
}

/** Milliseconds from spawn to the first 200, which needs the key of the ready file. */
async function timeOfFirstReply({ folder }: Bench, file: string): Promise<number> {
  const readyFile = join(mkdtempSync(join(folder, 'throwaway-')), 'ready.json');
  const env = { ...withoutSettings(), PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' };
  const begun = performance.now();
  const child = tracked(
    Bun.spawn(onEveryCore([file, 'serve', '--ephemeral', '--ready-file', readyFile]), {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  try {
    while (!existsSync(readyFile)) {
      if (child.exitCode !== null) throw new Error('The throwaway service did not start.');
      await Bun.sleep(PAUSE);
    }
    const { addresses, keys } = await readReadyFile(readyFile);
    const key = keys.find(({ environment }) => environment === 'production')?.key;
    await request(`${addresses['production']}/pets`, `${key}`);
    return performance.now() - begun;
  } finally {
    child.kill('SIGTERM');
    await child.exited;
  }
}

/** Milliseconds for the resets of a suite, without the requests of its tests. */
async function timeOfResets(file: string): Promise<number> {
  const pets = Array.from({ length: PETS }, (_, index) => {
    return { name: `Animal ${index + 1}`, categoryId: 1 };
  });
  await using petstore = await startPetstore({
    command: onEveryCore([file]),
    fixture: { pets: { production: pets } },
  });
  let taken = 0;
  for (let test = 0; test < TESTS; test += 1) {
    const begun = performance.now();
    await petstore.reset();
    taken += performance.now() - begun;
    const pet = { name: 'One more', categoryId: 1 };
    await request(`${petstore.url}/pets`, petstore.key, pet);
    await request(`${petstore.url}/pets`, petstore.key);
  }
  return taken;
}

/** Creates a pet, if one is given, or lists the pets. */
async function request(url: string, key: string, pet?: object): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const creation = { method: 'POST', body: JSON.stringify(pet) };
  const reply = await fetch(url, { headers, ...(pet && creation) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`The reply was ${reply.status}: ${text}`);
}
