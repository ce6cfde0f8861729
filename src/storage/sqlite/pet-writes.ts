import type { Database } from 'bun:sqlite';
import { type IdempotentRequest, isExpired } from '../../core/idempotency.ts';
import { creationReply } from '../../core/pets/pet-json.ts';
import type { CreateOutcome } from '../../core/pets/pet-store.ts';
import type { NewPet, Pet } from '../../core/pets/pets.ts';
import type { EnvironmentTransaction } from '../access.ts';
import { orderChanges } from '../orders/order-changes.ts';
import { petChanges } from '../pets/pet-changes.ts';
import { ONE_PET } from '../pets/pet-pages.ts';
import { type Creation, storedReply } from '../pets/pets.ts';
import { select } from '../schema/selection.ts';
import { query } from './database.ts';
import { highestIdIn, newIdIn, retireIds, selectNumber } from './numbers.ts';

const EARLIER = select(
  'idempotent_requests',
  ['fingerprint', 'created_at', 'pet_id', 'reply_status', 'reply_body'],
  'WHERE account_id = ? AND key = ?',
);

/** The changes to an environment's file. Each runs within a transaction of the writer thread. */
export const environmentWrites = {
  createPet(database: Database, { pet, now, request }: Creation): CreateOutcome {
    const earlier = request && recall(database, request, now);
    if (earlier) return earlier;
    const created = { id: insertPet(database, pet), ...pet };
    if (request) rememberReply(database, request, created, now);
    return { kind: 'created', pet: created };
  },

  importPets(database: Database, pets: readonly NewPet[]): void {
    for (const pet of pets) insertPet(database, pet);
  },

  updatePet: onFile(petChanges.updatePet),
  deletePet: onFile(petChanges.deletePet),
  createOrder: onFile(orderChanges.createOrder),
  updateOrder: onFile(orderChanges.updateOrder),
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
  return (database, input) => change(transactionOn(database), input);
}

/** All rows of a file belong to its environment, so no statement uses the first value. */
function transactionOn(database: Database): EnvironmentTransaction {
  return {
    rows: (selection, ...values) => query(database, selection).all('', ...values),
    run: ({ sqlite }, ...values) =>
      sqlite === '' ? 0 : Number(query(database, { sqlite }).run('', ...values).changes),
    newIds(table, count) {
      const after = selectNumber(database, { sqlite: `SELECT ${highestIdIn(table)} AS number` });
      return Array.from({ length: count }, (_, index) => after + 1 + index);
    },
    retireIds: (table, highest) => retireIds(database, table, highest),
  };
}

const INSERT = `INSERT INTO pets (id, name, category_id, status)
  VALUES (${newIdIn('pets')}, ?, ?, ?)`;

function insertPet(database: Database, { name, categoryId, status }: NewPet): number {
  return Number(database.query(INSERT).run(name, categoryId, status).lastInsertRowid);
}

function rememberReply(
  database: Database,
  { accountId, key, fingerprint }: IdempotentRequest,
  pet: Pet,
  now: number,
): void {
  const { status, body } = creationReply(pet);
  database
    .query('INSERT OR REPLACE INTO idempotent_requests VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(accountId, key, fingerprint, pet.id, now, status, body);
}

function recall(
  database: Database,
  { accountId, key, fingerprint }: IdempotentRequest,
  now: number,
): CreateOutcome | undefined {
  const earlier = query(database, EARLIER).get(accountId, key);
  if (!earlier || isExpired(earlier.created_at, now)) return undefined;
  if (earlier.fingerprint !== fingerprint) return { kind: 'mismatch' };
  const stored = storedReply(earlier);
  if (stored) return { kind: 'replayed', reply: stored };
  const pet = query(database, ONE_PET).get(earlier.pet_id);
  return pet ? { kind: 'replayed', reply: creationReply(pet) } : undefined;
}
