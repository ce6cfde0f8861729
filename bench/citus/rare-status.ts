import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUCKET_SIZE } from '../../src/storage/pets/buckets.ts';
import { startBackendsOn } from '../cluster/backends.ts';
import { startPetstore } from '../cluster/stage.ts';
import { percentile } from '../statistics.ts';
import { firstKey } from '../stores.ts';
import { table } from '../table.ts';
import { CitusServers } from './nodes.ts';

const PETS = 10_000_000;
/** One of this many pets is sold. */
const RARE = 100_000;
/** Pets added by one statement. */
const CHUNK = 1_000_000;
const REQUESTS = 100;

interface Place {
  readonly folder: string;
  progress(text: string): void;
}

/** The duration of pages of a rare status, as Markdown. */
export async function measureRareStatus({ folder, progress }: Place): Promise<string> {
  const servers = await CitusServers.start();
  const home = join(folder, 'rare-status');
  mkdirSync(home, { recursive: true });
  await using backends = await startBackendsOn(servers, home, { pets: 1, accounts: 1 });
  for (let first = 2; first <= PETS; first += CHUNK) {
    progress(`pets from ${first}`);
    await servers.run(
      `INSERT INTO pets (environment, bucket, id, name, category_id, status)
       SELECT 'production', id / ${BUCKET_SIZE}, id, 'Rex ' || id, id % 100,
         CASE WHEN id % ${RARE} = 0 THEN 'sold' ELSE 'available' END
       FROM generate_series(${first}, least(${first + CHUNK - 1}, ${PETS})) AS id`,
    );
  }
  await servers.run(`SELECT setval('production_pet_ids', ${PETS})`);
  await servers.run('VACUUM ANALYZE pets');
  await using stage = await startPetstore(backends, 1);
  const url = `http://127.0.0.1:${stage.servers[0]?.port}/v1/pets?status=sold`;
  const key = firstKey(backends.store);
  const anywhere = () => Math.floor(Math.random() * (PETS - 21 * RARE));
  const rows = [
    ['the first page', ...(await times(() => url, key))],
    ['a page after a random id', ...(await times(() => `${url}&after=${anywhere()}`, key))],
  ];
  return table(['20 animals of a rare status', 'p50 ms', 'p99 ms'], rows);
}

async function times(address: () => string, key: string): Promise<string[]> {
  const taken = [];
  for (let request = 0; request < REQUESTS; request += 1) {
    const begun = performance.now();
    const reply = await fetch(address(), { headers: { Authorization: `Bearer ${key}` } });
    const pets: unknown[] = await reply.json();
    taken.push(performance.now() - begun);
    if (pets.length !== 20) throw new Error(`A page has ${pets.length} pets.`);
  }
  return [percentile(taken, 0.5).toFixed(1), percentile(taken, 0.99).toFixed(1)];
}
