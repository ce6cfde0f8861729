import type { Environment } from '../../core/environments.ts';
import { BUCKET_SIZE, bucketOf, lastIdOf } from '../pets/buckets.ts';
import type { PostgresDatabase } from './database.ts';

/** Deletes the pets, idempotent requests and quotas of an environment; ids start at 1 again. */
export async function resetEnvironment(
  database: PostgresDatabase,
  environment: Environment,
): Promise<void> {
  await deleteMostPets(database, environment);
  await database.transaction(async (queries) => {
    // Makes concurrent inserts of pets wait: those with an id have inserted their pet, the others get a new id.
    await queries.run('LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE');
    for (const table of ['pets', 'idempotent_requests', 'quotas']) {
      await queries.run(`DELETE FROM ${table} WHERE environment = $1`, environment);
    }
    await queries.run(`ALTER SEQUENCE ${environment}_pet_ids RESTART`);
  });
}

/** Runs before the transaction that blocks creating pets in both environments. */
async function deleteMostPets(database: PostgresDatabase, environment: Environment): Promise<void> {
  const row = await database.get<{ first: number | null; last: number | null }>(
    `SELECT min(id)::float8 AS first, max(id)::float8 AS last FROM pets WHERE environment = $1`,
    environment,
  );
  if (!row || row.first === null || row.last === null) return;
  // One bucket per statement, so that no statement takes too long.
  for (let bucket = bucketOf(row.first); bucket <= bucketOf(row.last); bucket += 1) {
    await database.run(
      'DELETE FROM pets WHERE environment = $1 AND bucket = $2 AND id >= $3 AND id <= $4',
      ...[environment, bucket, bucket * BUCKET_SIZE, lastIdOf(bucket)],
    );
  }
}
