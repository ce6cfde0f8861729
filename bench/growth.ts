import { CONTESTANTS } from './contestants.ts';
import { type Bench, measure, setStage } from './measure.ts';
import { activeMemory } from './memory.ts';
import type { GrowthRow, Sample } from './results.ts';
import { medians } from './statistics.ts';
import { fileSize, type PreparedStore } from './stores.ts';
import { READS, WORKLOADS } from './workloads.ts';

/** Fewer rounds than elsewhere, because one program is compared with itself. */
const MOST_ROUNDS = 3;

/** Measures all reads on stores of growing size: first more pets, then more accounts. */
export async function measureGrowth(bench: Bench): Promise<GrowthRow[]> {
  const { growth } = bench.scale;
  const [, pets] = growth.pets;
  const [, accounts] = growth.accounts;
  const sizes = [
    ...growth.pets.map((each) => ({ pets: each, accounts })),
    ...growth.accounts
      .filter((each) => each !== accounts)
      .map((each) => ({ pets, accounts: each })),
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
        const sample = await measure(bench, CONTESTANTS.petstore, WORKLOADS[read], store);
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
      pets: store.pets,
      accounts: store.accounts,
      fileSize: fileSizes.get(store) ?? 0,
      memory: await activeMemory(bench, store),
      startUp: await startUpOf(bench, store),
      reads: Object.fromEntries(reads),
    });
  }
  return rows;
}

/** Start-up on a store with a saved quota of every account. */
async function startUpOf(bench: Bench, store: PreparedStore): Promise<number> {
  await using stage = await setStage(bench, CONTESTANTS.petstore, store);
  return stage.server.startUp;
}

function describe({ pets, accounts }: PreparedStore): string {
  return `${pets} pets, ${accounts} accounts`;
}
