import type { Database } from 'bun:sqlite';
import { DAY } from '../core/clock.ts';
import type { NewPet, Pet } from '../core/pets.ts';
import type { CreateOutcome, IdempotentRequest, SavedQuota } from '../core/ports.ts';

/** How long the reply to an idempotent request is remembered, in ms. */
const REMEMBERED = DAY;

interface Creation {
  readonly pet: NewPet;
  /** Epoch ms. */
  readonly now: number;
  readonly request: IdempotentRequest | undefined;
}

export interface PetRow {
  id: bigint;
  name: string;
  category_id: bigint;
  status: Pet['status'];
}

/** Every change to an environment's file; each runs inside of a transaction of the writer thread. */
export const environmentWrites = {
  createPet(database: Database, { pet, now, request }: Creation): CreateOutcome {
    const earlier = request && recall(database, request, now - REMEMBERED);
    if (earlier) return earlier;
    const id = insertPet(database, pet);
    if (request) {
      database
        .query('INSERT OR REPLACE INTO idempotent_requests VALUES (?, ?, ?, ?, ?)')
        .run(request.accountId, request.key, request.fingerprint, id, now);
    }
    return { kind: 'created', pet: { id, ...pet } };
  },

  importPets(database: Database, pets: readonly NewPet[]): void {
    for (const pet of pets) insertPet(database, pet);
  },

  /** Drops some of what is older than it is promised to be remembered; tells how many. */
  forgetRequests(database: Database, now: number): number {
    return database
      .query(
        `DELETE FROM idempotent_requests WHERE (account_id, key) IN (
           SELECT account_id, key FROM idempotent_requests WHERE created_at <= ? LIMIT 1000)`,
      )
      .run(now - REMEMBERED).changes;
  },

  saveQuotas(database: Database, quotas: readonly SavedQuota[]): void {
    const statement = database.query('INSERT OR REPLACE INTO quotas VALUES (?, ?, ?, ?, ?)');
    for (const { caller, minuteEndsAt, minuteUsed, day, dayUsed } of quotas) {
      statement.run(caller, minuteEndsAt, minuteUsed, day, dayUsed);
    }
  },

  pruneQuotas(database: Database, day: number): void {
    database.query('DELETE FROM quotas WHERE day < ?').run(day);
  },
};

function insertPet(database: Database, { name, categoryId, status }: NewPet): number {
  const { lastInsertRowid } = database
    .query('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
    .run(name, categoryId, status);
  return Number(lastInsertRowid);
}

function recall(
  database: Database,
  { accountId, key, fingerprint }: IdempotentRequest,
  since: number,
): CreateOutcome | undefined {
  const row = database
    .query<PetRow & { fingerprint: string }, [string, string, number]>(
      `SELECT pets.*, fingerprint FROM idempotent_requests JOIN pets ON pets.id = pet_id
       WHERE account_id = ? AND key = ? AND idempotent_requests.created_at > ?`,
    )
    .get(accountId, key, since);
  if (!row) return undefined;
  if (row.fingerprint !== fingerprint) return { kind: 'mismatch' };
  return { kind: 'replayed', pet: petFromRow(row) };
}

export function petFromRow({ id, name, category_id, status }: PetRow): Pet {
  return { id: Number(id), name, categoryId: category_id, status };
}
