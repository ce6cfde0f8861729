import type { Environment } from '../../core/environments.ts';
import { ID_SEQUENCES } from '../numbered-tables.ts';
import { BUCKET_SIZE, bucketOf, lastIdOf } from '../pets/buckets.ts';
import { deleteInBatches, deleteInWindows } from '../schema/batches.ts';
import type { PostgresDatabase } from './database.ts';
import { postgresEngine } from './engine.ts';
import { forgetTakenIds } from './taken-ids.ts';

/**
 * Deletes the pets, orders, idempotent requests and quotas of an environment; ids start at 1 again. Most rows are deleted
 * before the transaction that blocks creating pets in both environments, because each statement has a time limit.
 */
export async function resetEnvironment(
  database: PostgresDatabase,
  environment: Environment,
): Promise<void> {
  await forgetTakenIds(database, environment);
  for (const table of ['pets', 'deleted_pets'] as const) {
    await deleteMost(database, table, environment);
  }
  const engine = postgresEngine(database);
  await deleteInBatches(engine, 'idempotent_requests', 'environment = ?', environment);
  for (const table of ['quotas', 'orders'] as const) {
    await deleteInWindows(engine, table, 'environment = ?', environment);
  }
  await database.transaction(async (queries) => {
    // Makes concurrent inserts of pets wait. A pet whose id was taken before the reset is inserted after it with that
    // id; `createPets` handles the collision. An order holds a lock on its pet when it takes its id.
    await queries.run('LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE');
    for (const table of ['pets', 'deleted_pets', 'orders', 'idempotent_requests', 'quotas']) {
      await queries.run(`DELETE FROM ${table} WHERE environment = $1`, environment);
    }
    for (const ids of Object.values(ID_SEQUENCES)) {
      await queries.run(`ALTER SEQUENCE ${environment}_${ids} RESTART`);
    }
  });
}

async function deleteMost(
  database: PostgresDatabase,
  table: 'pets' | 'deleted_pets',
  environment: Environment,
): Promise<void> {
  const row = await database.get<{ first: number | null; last: number | null }>(
    `SELECT min(id)::float8 AS first, max(id)::float8 AS last FROM ${table} WHERE environment = $1`,
    environment,
  );
  if (!row || row.first === null || row.last === null) return;
  // One bucket per statement, so that no statement takes too long.
  for (let bucket = bucketOf(row.first); bucket <= bucketOf(row.last); bucket += 1) {
    await database.run(
      `DELETE FROM ${table} WHERE environment = $1 AND bucket = $2 AND id >= $3 AND id <= $4`,
      ...[environment, bucket, bucket * BUCKET_SIZE, lastIdOf(bucket)],
    );
  }
}
