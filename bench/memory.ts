import { CONTESTANTS } from './contestants.ts';
import { runLoad } from './load.ts';
import { type Bench, CONNECTIONS, type Stage, setStage } from './measure.ts';
import type { Memory } from './results.ts';
import type { PreparedStore } from './stores.ts';

/** Milliseconds without load before resident memory is read. */
const SETTLE = 3_000;

/** Seconds of each run of the load, which is repeated until enough requests have been answered. */
const PIECE = 5;

/** Resident memory when idle, after mixed requests, and with many active accounts. */
export async function measureMemory(bench: Bench): Promise<Memory> {
  const { pets, activeAccounts: accounts } = bench.scale;
  const { idle, after } = await measureMixed(bench);
  const store = await bench.stores.ample({ pets, accounts });
  return { idle, after, active: { accounts, memory: await activeMemory(bench, store) } };
}

/** Resident memory once every account of a store has sent a request. */
export async function activeMemory(bench: Bench, store: PreparedStore): Promise<number> {
  const { pets, accounts, keyFile: keys } = store;
  bench.progress(`memory, one request of each of ${accounts} accounts`);
  await using stage = await setStage(bench, CONTESTANTS.petstore, store);
  const { port } = stage.server;
  const load = { port, kind: 'list-20', base: '/v1', pets, keys } as const;
  for (let turn = 0; turn < accounts; ) {
    const { seconds } = bench.scale;
    turn += (await runLoad({ ...load, turn, connections: CONNECTIONS, seconds })).requests;
  }
  return await settledMemory(stage);
}

async function measureMixed(bench: Bench): Promise<Omit<Memory, 'active'>> {
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
    pets: store.pets,
    keys: store.keyFile,
    connections: CONNECTIONS,
    seconds,
  });
  if (refused > 0) throw new Error(`${refused} of ${requests} mixed requests were refused.`);
  return requests;
}
