import type { Database } from 'bun:sqlite';
import { type IdempotentRequest, isExpired } from '../../core/idempotency.ts';
import { creationReply } from '../../core/pets/pet-json.ts';
import type { CreateOutcome } from '../../core/pets/pet-store.ts';
import type { NewPet, Pet } from '../../core/pets/pets.ts';
import type { EnvironmentTransaction } from '../access.ts';
import { petChanges } from '../pets/pet-changes.ts';
import { ONE_PET } from '../pets/pet-pages.ts';
import { type Creation, storedReply } from '../pets/pets.ts';
import { select } from '../schema/selection.ts';
import { query } from './database.ts';

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

  updatePet: (database: Database, input: Parameters<typeof petChanges.updatePet>[1]) =>
    petChanges.updatePet(transactionOn(database), input),

  deletePet: (database: Database, input: Parameters<typeof petChanges.deletePet>[1]) =>
    petChanges.deletePet(transactionOn(database), input),

  /** Deletes everything; ids start at 1 again. */
  resetEnvironment(database: Database, _: null): void {
    for (const table of ['pets', 'idempotent_requests', 'quotas']) {
      database.run(`DELETE FROM ${table}`);
    }
    continued.delete(database);
  },
};

/** All rows of a file belong to its environment, so no statement uses the first value. */
function transactionOn(database: Database): EnvironmentTransaction {
  return {
    rows: (selection, ...values) => query(database, selection).all('', ...values),
    run: ({ sqlite }, ...values) => Number(query(database, { sqlite }).run('', ...values).changes),
  };
}

/** The id after which the ids of a database continue, if it is above the highest id in the database. */
const continued = new WeakMap<Database, { readonly id: number; readonly isOver: () => boolean }>();

/**
 * Assigns only ids above this one from now on.
 * @param isOver whether this has ended because another process has reset the environment.
 */
export function continueIdsAfter(database: Database, id: number, isOver: () => boolean): void {
  continued.set(database, { id, isOver });
}

/** 0 if new ids simply follow the highest id in the database. */
function continuedAfter(database: Database): number {
  const found = continued.get(database);
  if (!found) return 0;
  const holdsPets = database.query('SELECT 1 FROM pets LIMIT 1').get() !== null;
  if (holdsPets || !found.isOver()) return found.id;
  continued.delete(database);
  return 0;
}

function insertPet(database: Database, { name, categoryId, status }: NewPet): number {
  const after = continuedAfter(database);
  // SQLite continues after the highest id in the table.
  const { lastInsertRowid } =
    after === 0
      ? database
          .query('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
          .run(name, categoryId, status)
      : database
          .query(
            `INSERT INTO pets (id, name, category_id, status)
             VALUES (max(?, coalesce((SELECT max(id) FROM pets), 0)) + 1, ?, ?, ?)`,
          )
          .run(after, name, categoryId, status);
  return Number(lastInsertRowid);
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
