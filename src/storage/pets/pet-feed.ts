import type { PetChange, PetChanges } from '../../core/pets/pet-changes.ts';
import type { PetStatus } from '../../core/pets/pets.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { EnvironmentTransaction } from '../access.ts';
import type { Statement } from '../schema/selection.ts';
import { BUCKET_SIZE, bucketOf } from './buckets.ts';

/** The changes of an environment's pets by all processes, as one process reads them. May raise `StorageUnavailable`. */
export interface PetFeed {
  /**
   * The changes that were committed since the last call; `everything` at the first call, or if there were too many, or
   * some may have been pruned meanwhile. Calls must not overlap.
   */
  read(): Awaitable<PetChanges>;
  /** Deletes changes that every process has read, or has missed. */
  prune(): Promise<void>;
}

/** The most changes that are read at once. */
export const MOST_CHANGES = 1_000;

/** In PostgreSQL, several changes of a pet in one transaction share a row. */
const RECORD: Statement = {
  sqlite: 'INSERT INTO pet_changes (pet_id, old_status, new_status) VALUES (?2, ?3, ?4)',
  postgres: `INSERT INTO pet_changes (environment, pet_id, old_status, new_status)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (environment, number, pet_id) DO UPDATE SET new_status = excluded.new_status`,
};

const RECORD_DELETION: Statement = {
  sqlite: '',
  postgres: `INSERT INTO deleted_pets (environment, bucket, id) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING`,
};

/** A pet that was deleted. */
interface DeletedPet {
  readonly id: number;
  /** The status that it had. */
  readonly status: PetStatus;
}

const RECORD_DELETIONS: Statement = {
  sqlite: `INSERT INTO pet_changes (pet_id, old_status)
    SELECT value ->> 'id', value ->> 'status' FROM json_each(?2)`,
  postgres: `INSERT INTO pet_changes (environment, pet_id, old_status)
    SELECT $1, id, status FROM json_to_recordset($2::text::json) AS deleted (id BIGINT, status TEXT)`,
};

const RECORD_DELETED: Statement = {
  sqlite: '',
  postgres: `INSERT INTO deleted_pets (environment, bucket, id)
    SELECT $1, id / ${BUCKET_SIZE}, id FROM json_to_recordset($2::text::json) AS deleted (id BIGINT)`,
};

/**
 * Records a change of a pet for the caches of all processes, in the transaction of the change. After the commit, the
 * process must call `PetStore.applyOwnChanges` before it replies.
 */
export async function recordPetChange(
  transaction: EnvironmentTransaction,
  { id, before, after }: PetChange,
): Promise<void> {
  await transaction.run(RECORD, id, before, after ?? null);
  if (after === undefined) await transaction.run(RECORD_DELETION, bucketOf(id), id);
}

/** A row of the feed. */
export interface PetChangeRow {
  readonly pet_id: number;
  readonly old_status: PetStatus;
  readonly new_status: PetStatus | null;
}

export function petChangeFrom({ pet_id, old_status, new_status }: PetChangeRow): PetChange {
  return { id: pet_id, before: old_status, after: new_status ?? undefined };
}

/** Records the deletion of many pets, like `recordPetChange`. The transaction must not have changed them otherwise. */
export async function recordPetDeletions(
  transaction: EnvironmentTransaction,
  deleted: readonly DeletedPet[],
): Promise<void> {
  const pets = JSON.stringify(deleted.map(({ id, status }) => ({ id, status })));
  await transaction.run(RECORD_DELETIONS, pets);
  await transaction.run(RECORD_DELETED, pets);
}
