import type { PetChange } from '../../core/pets/pet-changes.ts';
import type { EnvironmentTransaction } from '../access.ts';
import type { Statement } from '../schema/selection.ts';
import { bucketOf } from './buckets.ts';

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
