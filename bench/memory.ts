import { CONTESTANTS } from './contestants.ts';
import { runLoad } from './load.ts';
import { type Bench, CONNECTIONS, type Stage, setStage } from './measure.ts';
import type { Memory } from './results.ts';

/** Quiet time before resident memory is read, in ms. */
const SETTLE = 3_000;

/** Load goes on in pieces of this length, in seconds, until enough requests were answered. */
const PIECE = 5;

/** Resident memory of a service that has just started, and as mixed requests go by. */
export async function measureMemory(bench: Bench): Promise<Memory> {
  using store = bench.stores.copy(await bench.stores.ample(bench.scale));
  await using stage = await setStage(bench, CONTESTANTS.petstore, store);
  const idle = await settledMemory(stage);
  let requests = 0;
  const after: Memory['after'] = [];
  for (const target of bench.scale.memory) {
    while (requests < target) {
      bench.progress(`memory, ${requests} of ${target} requests`);
      requests += await sendMixed(stage, bench.scale.quick ? 1 : PIECE);
    }
    after.push({ requests, memory: await settledMemory(stage) });
  }
  return { idle, after };
}

async function settledMemory({ server }: Stage): Promise<number> {
  await Bun.sleep(SETTLE);
  return server.usage().memory;
}

async function sendMixed({ server, store }: Stage, seconds: number): Promise<number> {
  const { requests, refused } = await runLoad({
    port: server.port,
    kind: 'mixed',
    base: '/v1',
    animals: store.animals,
    keys: store.keyFile,
    connections: CONNECTIONS,
    seconds,
  });
  if (refused > 0) throw new Error(`${refused} of ${requests} mixed requests were refused.`);
  return requests;
}
