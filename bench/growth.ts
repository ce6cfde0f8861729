import { CONTESTANTS } from './contestants.ts';
import { runLoad } from './load.ts';
import { type Bench, CONNECTIONS, measure, setStage } from './measure.ts';
import type { GrowthRow, Sample } from './results.ts';
import { medians } from './statistics.ts';
import { fileSize, type PreparedStore } from './stores.ts';
import { READS, WORKLOADS } from './workloads.ts';

/** Rounds are fewer here: what is compared is one program with itself. */
const MOST_ROUNDS = 3;

/** Every way to read, on stores of growing size: first more animals, then more accounts. */
export async function measureGrowth(bench: Bench): Promise<GrowthRow[]> {
  const { growth } = bench.scale;
  const [, animals] = growth.animals;
  const [, accounts] = growth.accounts;
  const sizes = [
    ...growth.animals.map((each) => ({ animals: each, accounts })),
    ...growth.accounts
      .filter((each) => each !== accounts)
      .map((each) => ({ animals, accounts: each })),
  ];
  const stores: PreparedStore[] = [];
  for (const size of sizes) stores.push(await bench.stores.ample(size));
  const fileSizes = new Map(stores.map((store) => [store, fileSize(store)]));

  const samples = new Map<string, Sample[]>();
  const rounds = Math.min(MOST_ROUNDS, bench.scale.rounds);
  for (let round = 1; round <= rounds; round += 1) {
    for (const read of READS) {
      for (const store of stores) {
        bench.progress(`growth, round ${round} of ${rounds}: ${read}, ${describe(store)}`);
        const name = `${store.folder} ${read}`;
        const sample = await measure(bench, 'petstore', WORKLOADS[read], store);
        samples.set(name, [...(samples.get(name) ?? []), sample]);
      }
    }
  }
  const rows: GrowthRow[] = [];
  for (const store of stores) {
    const reads = READS.map(
      (read) => [read, medians(samples.get(`${store.folder} ${read}`) ?? [])] as const,
    );
    rows.push({
      animals: store.animals,
      accounts: store.accounts,
      fileSize: fileSizes.get(store) ?? 0,
      memory: await memoryOf(bench, store),
      startUp: await startUpOf(bench, store),
      reads: Object.fromEntries(reads),
    });
  }
  return rows;
}

/** Resident memory once every account has sent a request since the start. */
async function memoryOf(bench: Bench, store: PreparedStore): Promise<number> {
  bench.progress(`growth: every account once, ${describe(store)}`);
  await using stage = await setStage(bench, CONTESTANTS.petstore, store);
  const { port } = stage.server;
  const { animals, accounts, keyFile: keys } = store;
  const load = { port, kind: 'list-20', base: '/v1', animals, keys } as const;
  for (let turn = 0; turn < accounts; ) {
    const { seconds } = bench.scale;
    turn += (await runLoad({ ...load, turn, connections: CONNECTIONS, seconds })).requests;
  }
  return stage.server.usage().memory;
}

/** Of a store whose accounts have all been busy: their quotas are on record. */
async function startUpOf(bench: Bench, store: PreparedStore): Promise<number> {
  await using stage = await setStage(bench, CONTESTANTS.petstore, store);
  return stage.server.startUp;
}

function describe({ animals, accounts }: PreparedStore): string {
  return `${animals} animals, ${accounts} accounts`;
}
