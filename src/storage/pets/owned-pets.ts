import type { OwnedDeletion } from '../../core/pets/pet-changes.ts';
import type { PetStatus } from '../../core/pets/pets.ts';
import type { EnvironmentTransaction } from '../access.ts';
import { storedAccountId } from '../account-ids.ts';
import { inEnvironment } from '../schema/selection.ts';
import { bucketOf } from './buckets.ts';
import { recordPetDeletions } from './pet-feed.ts';

/**
 * The number of ids in one transaction: so few that other changes wait for some milliseconds. A bucket contains whole
 * windows, so that a statement reads from one node of a sharded database.
 */
const WINDOW = 2_048;

// No index has the owner: it would take half as much space again as the pets themselves.
const OWNED_IN_WINDOW = 'environment = $1 AND bucket = $2 AND id >= $3 AND id < $4 AND owner = $5';

const DELETE = inEnvironment<{ readonly id: bigint | number; readonly status: PetStatus }>(
  `DELETE FROM pets WHERE ${OWNED_IN_WINDOW} AND open_order IS NULL RETURNING id, status`,
);
const COUNT = inEnvironment<{ readonly kept: bigint | number }>(
  `SELECT count(*) AS kept FROM pets WHERE ${OWNED_IN_WINDOW}`,
);

/** The pets of an account with ids from this one on, up to the end of the window. */
export interface OwnedWindow {
  readonly accountId: string;
  readonly from: number;
}

/** Deletes pets without an open order, in one transaction. */
export async function deleteOwnedPets(
  transaction: EnvironmentTransaction,
  { accountId, from }: OwnedWindow,
): Promise<OwnedDeletion> {
  const window = [bucketOf(from), from, from + WINDOW, storedAccountId(accountId)] as const;
  const rows = await transaction.rows(DELETE, ...window);
  const deleted = rows.map(({ id, status }) => ({ id: Number(id), status }));
  if (deleted.length > 0) {
    await transaction.retireIds('pets', Math.max(...deleted.map(({ id }) => id)));
    await recordPetDeletions(transaction, deleted);
  }
  const [left] = await transaction.rows(COUNT, ...window);
  return { deleted: deleted.length, kept: Number(left?.kept ?? 0) };
}

/**
 * Deletes the pets of an account up to this id, window by window.
 * @param deleteWindow calls `deleteOwnedPets` in a transaction.
 */
export async function deleteOwnedUpTo(
  highestId: number,
  accountId: string,
  deleteWindow: (window: OwnedWindow) => Promise<OwnedDeletion>,
): Promise<OwnedDeletion> {
  let deleted = 0;
  let kept = 0;
  for (let from = 0; from <= highestId; from += WINDOW) {
    const window = await deleteWindow({ accountId, from });
    deleted += window.deleted;
    kept += window.kept;
  }
  return { deleted, kept };
}
