import { SQL } from 'bun';
import { Redis } from 'ioredis';
import { hourOf, NO_USAGE } from '../../src/core/requests/usage.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { findKey, postgresEngine } from '../../src/storage/postgres/engine.ts';
import { PostgresMessageQueue } from '../../src/storage/postgres/message-queue.ts';
import { sharedStores } from '../../src/storage/shared-stores.ts';
import type { Backends } from './servers.ts';

/** How often the usage of all accounts is saved, so that the time is measurable. */
const REPEATS = 30;

/** Sizes and background costs. */
export interface Sizes {
  /** On the disk of PostgreSQL, indexes included. */
  readonly bytesPerPet: number;
  /** In the memory of Redis. */
  readonly bytesPerCaller: number;
  /** CPU seconds of PostgreSQL for 100,000 rows of usage: one for each account that a process served in 5 s. */
  readonly usageDemand: number;
}

export async function measureSizes({ postgres, redis }: Backends): Promise<Sizes> {
  const sql = new SQL({ url: postgres.url, max: 1 });
  const client = new Redis(redis.url);
  try {
    const [row] = await sql.unsafe<{ size: number }[]>(
      "SELECT pg_total_relation_size('pets')::float8 / (SELECT count(*) FROM pets) AS size",
    );
    const keys = (await client.keys('petstore:*')).filter((key) => key.includes(':account:'));
    const sizes = await Promise.all(keys.map((key) => client.memory('USAGE', key)));
    const inRedis = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    const accounts = await sql.unsafe<{ id: string }[]>('SELECT id FROM accounts');
    return {
      bytesPerPet: row?.size ?? 0,
      bytesPerCaller: inRedis / keys.length,
      usageDemand: await usageDemand({ postgres }, accounts),
    };
  } finally {
    client.disconnect();
    await sql.close();
  }
}

async function usageDemand(
  { postgres }: Pick<Backends, 'postgres'>,
  accounts: readonly { readonly id: string }[],
): Promise<number> {
  const database = new PostgresDatabase(postgres.url, [postgres.url]);
  const messages = new PostgresMessageQueue(database);
  const engine = postgresEngine(database);
  const { usage } = sharedStores(engine, { findKey: findKey(database), messages });
  const records = accounts.map(({ id }) => ({
    ...{ ...NO_USAGE, invalid: 0, unauthorized: 0, notFound: 0, conflicts: 0, durations: [1] },
    accountId: id,
    keyId: `key_${id}`,
    operation: 'listPets',
    environment: 'production' as const,
    hour: hourOf(Date.now()),
    succeeded: 1,
  }));
  try {
    await usage.add(records);
    const before = postgres.usage().cpu;
    for (let repeat = 0; repeat < REPEATS; repeat += 1) await usage.add(records);
    return ((postgres.usage().cpu - before) / (REPEATS * records.length)) * 100_000;
  } finally {
    await database.close();
  }
}
