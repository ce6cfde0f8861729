import type { Database } from 'bun:sqlite';
import type { IdempotentRequest } from '../../core/idempotency.ts';
import { REMEMBERED } from '../../core/idempotency.ts';
import type { CreateOutcome, NewPet, Pet } from '../../core/pets.ts';
import type { SavedQuota } from '../../core/quota.ts';
import { DAY } from '../../lib/clock.ts';

interface Creation {
  readonly pet: NewPet;
  /** Epoch ms. */
  readonly now: number;
  readonly request: IdempotentRequest | undefined;
}

/**
 * Selects animals as the rest of the service has them. What a double holds exactly comes as a number,
 * which is read, and written as JSON, in half the time of a bigint.
 */
export const SELECT_PETS = `SELECT CAST(pets.id AS REAL) AS id, name,
  CASE WHEN category_id BETWEEN -9007199254740991 AND 9007199254740991
    THEN CAST(category_id AS REAL) ELSE category_id END AS categoryId, status FROM pets`;

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
    // A row changed in its place takes half the time of one replaced.
    const statement = database.query(
      `INSERT INTO quotas VALUES (?, ?, ?, ?, ?) ON CONFLICT (caller) DO UPDATE SET
         minute_ends_at = excluded.minute_ends_at, minute_used = excluded.minute_used,
         day = excluded.day, day_used = excluded.day_used`,
    );
    for (const { caller, minuteEndsAt, minuteUsed, day, dayUsed } of quotas) {
      statement.run(caller, minuteEndsAt, minuteUsed, day, dayUsed);
    }
  },

  dropQuotas(database: Database, callers: readonly string[]): void {
    const statement = database.query('DELETE FROM quotas WHERE caller = ?');
    for (const caller of callers) statement.run(caller);
  },

  pruneQuotas(database: Database, now: number): void {
    database
      .query('DELETE FROM quotas WHERE day < ? AND minute_ends_at <= ?')
      .run(Math.floor(now / DAY), now);
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
  const earlier = database
    .query<{ fingerprint: string; pet_id: bigint }, [string, string, number]>(
      `SELECT fingerprint, pet_id FROM idempotent_requests
       WHERE account_id = ? AND key = ? AND created_at > ?`,
    )
    .get(accountId, key, since);
  if (!earlier) return undefined;
  if (earlier.fingerprint !== fingerprint) return { kind: 'mismatch' };
  const pet = database.query<Pet, [bigint]>(`${SELECT_PETS} WHERE pets.id = ?`).get(earlier.pet_id);
  return pet ? { kind: 'replayed', pet } : undefined;
}
