import { PET_STATUS_OF } from '../../core/orders/order-changes.ts';
import { isOpen, type Order } from '../../core/orders/orders.ts';
import {
  type DeleteOutcome,
  decideDeletion,
  decideUpdate,
  type PetChangeRequest,
  type PetPatch,
  type StoredPet,
  type UpdateOutcome,
} from '../../core/pets/pet-changes.ts';
import type { BoundEnvironmentChanges, EnvironmentTransaction } from '../access.ts';
import { inEnvironment } from '../schema/selection.ts';
import { bucketOf } from './buckets.ts';
import { deleteOwnedPets } from './owned-pets.ts';
import { recordPetChange } from './pet-feed.ts';
import { STORED_PET_COLUMNS, type StoredPetRow, storedPetFrom } from './stored-pets.ts';

const ONE_PET = 'environment = $1 AND bucket = $2 AND id = $3';

const FIND = inEnvironment<StoredPetRow>(
  `SELECT ${STORED_PET_COLUMNS} FROM pets WHERE ${ONE_PET} FOR UPDATE`,
);
const UPDATE = inEnvironment(`UPDATE pets SET name = $4, category_id = $5 WHERE ${ONE_PET}`);
// Apart, because SQLite rewrites the index of a column that a statement names: this takes twice as long.
const UPDATE_WITH_STATUS = inEnvironment(
  `UPDATE pets SET name = $4, category_id = $5, status = $6 WHERE ${ONE_PET}`,
);
const FOLLOW = inEnvironment(`UPDATE pets SET status = $4, open_order = $5 WHERE ${ONE_PET}`);
const DELETE = inEnvironment(`DELETE FROM pets WHERE ${ONE_PET}`);

/** The order that a pet follows. */
type FollowedOrder = Pick<Order, 'id' | 'status'>;

/** A request as it is sent to the transaction. */
interface ChangeInput {
  readonly request: PetChangeRequest;
  /** An account that no longer exists, so that its pets belong to nobody. */
  readonly formerAccount?: string | undefined;
}

/** The changes of pets without their transaction. */
export type BoundPetChanges = BoundEnvironmentChanges<typeof petChanges>;

/** The changes of pets. Each runs within a transaction, which keeps others from changing the pet. */
export const petChanges = {
  async updatePet(
    transaction: EnvironmentTransaction,
    { request, formerAccount, patch }: ChangeInput & { readonly patch: PetPatch },
  ): Promise<UpdateOutcome> {
    const stored = await findPet(transaction, request.id, formerAccount);
    const outcome = decideUpdate(stored, patch, request);
    if (stored && outcome.kind === 'updated' && outcome.pet !== stored.pet) {
      const { id, name, categoryId, status } = outcome.pet;
      const fields = [bucketOf(id), id, name, categoryId] as const;
      if (status === stored.pet.status) await transaction.run(UPDATE, ...fields);
      else await transaction.run(UPDATE_WITH_STATUS, ...fields, status);
      await recordPetChange(transaction, { id, before: stored.pet.status, after: status });
    }
    return outcome;
  },

  async deletePet(
    transaction: EnvironmentTransaction,
    { request, formerAccount }: ChangeInput,
  ): Promise<DeleteOutcome> {
    const { id } = request;
    const stored = await findPet(transaction, id, formerAccount);
    const outcome = decideDeletion(stored, request);
    if (stored && outcome.kind === 'deleted') {
      await transaction.run(DELETE, bucketOf(id), id);
      await transaction.retireIds('pets', id);
      await recordPetChange(transaction, { id, before: stored.pet.status, after: undefined });
    }
    return outcome;
  },

  deleteOwnedPets,
};

/**
 * A pet, which nobody else changes until the end of the transaction.
 * @param formerAccount an account that no longer exists.
 */
export async function findPet(
  transaction: EnvironmentTransaction,
  id: number,
  formerAccount?: string,
): Promise<StoredPet | undefined> {
  if (!Number.isSafeInteger(id)) return undefined;
  const [row] = await transaction.rows(FIND, bucketOf(id), id);
  return row && storedPetFrom(id, row, formerAccount);
}

/** Gives a pet, which `findPet` has locked, the status that follows from its order. */
export async function followOrder(
  transaction: EnvironmentTransaction,
  { pet, openOrder }: StoredPet,
  { id, status }: FollowedOrder,
): Promise<void> {
  const next = PET_STATUS_OF[status];
  const nextOrder = isOpen(status) ? id : undefined;
  if (next === pet.status && nextOrder === openOrder) return;
  await transaction.run(FOLLOW, bucketOf(pet.id), pet.id, next, nextOrder ?? null);
  await recordPetChange(transaction, { id: pet.id, before: pet.status, after: next });
}
