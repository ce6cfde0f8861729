import type { Database } from 'bun:sqlite';
import type { IdempotentRequest } from '../../core/idempotency.ts';
import { creationReply } from '../../core/pets/pet-json.ts';
import type { CreateOutcome } from '../../core/pets/pet-store.ts';
import { petWithId } from '../../core/pets/pets.ts';
import type { EnvironmentTransaction } from '../access.ts';
import { storedAccountId } from '../account-ids.ts';
import {
  CLAIM,
  type Claim,
  COLUMNS,
  claimRow,
  type Earlier,
  earlierFrom,
  earlierOutcome,
  RECALL,
} from '../idempotent-requests.ts';
import { orderChanges } from '../orders/order-changes.ts';
import { petChanges } from '../pets/pet-changes.ts';
import { ONE_PET } from '../pets/pet-pages.ts';
import type { Creation } from '../pets/pets.ts';
import { query } from './database.ts';
import { environmentTransaction } from './environment-transaction.ts';
import { newIdIn } from './numbers.ts';
import { columnsOf, type PetColumns } from './pet-columns.ts';

/** A creation with an idempotent request. */
type RepeatableCreation = Creation & { readonly request: IdempotentRequest };

/** The changes to an environment's file. Each runs within a transaction of the writer thread. */
export const environmentWrites = {
  /** Adds a pet without an idempotent request. @returns its id. */
  addPet: insertPet,

  /** Written for this engine: the flow of PostgreSQL, with promises, took 35 µs instead of 17. */
  createPet(database: Database, { pet, now, request }: RepeatableCreation): CreateOutcome {
    const earlier = findEarlier(database, request);
    const known = earlier && earlierOutcome(request, now, earlier);
    if (known) return known;
    const created = petWithId(insertPet(database, columnsOf(pet)), pet);
    record(database, { request, now, petId: created.id, reply: creationReply(created) });
    return { kind: 'created', pet: created };
  },

  importPets(database: Database, pets: readonly PetColumns[]): void {
    for (const pet of pets) insertPet(database, pet);
  },

  updatePet: onFile(petChanges.updatePet),
  deletePet: onFile(petChanges.deletePet),
  deleteOwnedPets: onFile(petChanges.deleteOwnedPets),
  createOrder: onFile(orderChanges.createOrder),
  updateOrder: onFile(orderChanges.updateOrder),
  importOrders: onFile(orderChanges.importOrders),
  deleteOrders: onFile(orderChanges.deleteOrders),

  /** Deletes everything; ids start at 1 again. */
  resetEnvironment(database: Database, _: null): void {
    for (const table of ['pets', 'orders', 'idempotent_requests', 'quotas', 'highest_ids']) {
      database.run(`DELETE FROM ${table}`);
    }
  },
};

/** A change that both engines share, on a file. */
function onFile<Input, Output>(
  change: (transaction: EnvironmentTransaction, input: Input) => Output,
): (database: Database, input: Input) => Output {
  return (database, input) => change(environmentTransaction(database), input);
}

const INSERT = `INSERT INTO pets (id, name, category_id, status, owner)
  VALUES (${newIdIn('pets')}, ?, ?, ?, ?)`;

function insertPet(database: Database, [name, categoryId, status, owner]: PetColumns): number {
  const account = owner === null ? null : storedAccountId(owner);
  const { lastInsertRowid } = database.query(INSERT).run(name, categoryId, status, account);
  return Number(lastInsertRowid);
}

function record(database: Database, claim: Claim): void {
  const row = claimRow(claim);
  query(database, { sqlite: CLAIM.sqlite }).run(...COLUMNS.map((column) => row[column]));
}

/** An earlier release recorded requests without replies: they get that of the pet as it is now, if it still exists. */
function findEarlier(database: Database, request: IdempotentRequest): Earlier | undefined {
  const row = query(database, RECALL).get(request.accountId, request.key);
  const earlier = row ? earlierFrom(row) : undefined;
  if (!earlier || earlier.reply) return earlier;
  const pet = query(database, ONE_PET).get(earlier.petId);
  return pet ? { ...earlier, reply: creationReply(pet) } : earlier;
}
