/**
 * Fills a data folder, or the database of PETSTORE_DATABASE_URL, through the service's own stores:
 * `bun bench/prepare-store.ts FOLDER KEY_FILE PETS ACCOUNTS PER_MINUTE PER_DAY`.
 * Writes the keys, one per account, in random order.
 */
import { writeFileSync } from 'node:fs';
import { readConfig } from '../src/config/config.ts';
import { type Subscription, subscribe } from '../src/core/limits/plans.ts';
import { samplePet } from '../src/core/pets/sample-pets.ts';
import { systemClock } from '../src/lib/clock.ts';
import { openStores } from '../src/storage/open-stores.ts';
import type { Stores } from '../src/storage/stores.ts';

const BATCH = 2_000;
/** Accounts created concurrently; they share commits. */
const CONCURRENCY = 1_000;

const [folder = '', keyFile = '', ...numbers] = process.argv.slice(2);
const [petCount = 0, accounts = 0, perMinute = 1, perDay = 1] = numbers.map(Number);
const stores = await openStores(
  readConfig({ ...process.env, PETSTORE_DATA_DIR: folder }),
  systemClock,
);
try {
  await addPets(stores);
  const keys = await addAccounts(stores, subscribe('enterprise', { perMinute, perDay }));
  writeFileSync(keyFile, `${shuffle(keys).join('\n')}\n`);
} finally {
  await stores.close();
}

async function addPets({ environment }: Stores): Promise<void> {
  const { pets } = environment('production');
  for (let done = 0; done < petCount; done += BATCH) {
    const length = Math.min(BATCH, petCount - done);
    await pets.import(Array.from({ length }, (_, index) => samplePet(done + index)));
  }
}

async function addAccounts(stores: Stores, subscription: Subscription): Promise<string[]> {
  const keys: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next < accounts) {
      next += 1;
      keys.push(await addAccount(stores, next, subscription));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return keys;
}

async function addAccount(
  { accounts, apiKeyService }: Stores,
  number: number,
  subscription: Subscription,
): Promise<string> {
  const email = `person${number}@example.com`;
  const account = await accounts.create(email, subscription, systemClock.now().wall, 'test');
  if (!account) throw new Error(`${email} exists already.`);
  return (await apiKeyService.issue(account, { environment: 'production', name: 'bench' }, 'test'))
    .text;
}

function shuffle(items: string[]): string[] {
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [items[index], items[other]] = [items[other] ?? '', items[index] ?? ''];
  }
  return items;
}
