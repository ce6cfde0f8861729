import type { Environment } from '../../core/environments.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import type { IdempotentRequest } from '../../core/idempotency.ts';
import { REMEMBERED } from '../../core/idempotency.ts';
import type { CreateOutcome, NewPet, Pet, PetStatus } from '../../core/pets.ts';
import { toInt64 } from '../../lib/int64.ts';
import { integers, type PostgresDatabase, type Queries, texts } from './database.ts';
import { insertNewPets, insertPets, newPetIds } from './pet-insertion.ts';

/** One animal to be added. */
export interface Creation {
  readonly pet: NewPet;
  /** Epoch ms. */
  readonly now: number;
  readonly request: IdempotentRequest | undefined;
}

/** A creation that may be repeated, under the id that it will have unless it was carried out before. */
interface Repeatable {
  readonly request: IdempotentRequest;
  readonly now: number;
  readonly id: number;
}

interface EarlierRow {
  account_id: string;
  key: string;
  fingerprint: string;
  created_at: number;
  id: number;
  name: string;
  category_id: bigint;
  status: PetStatus;
}

/**
 * Adds many animals in one transaction, and gives each one's outcome in their order. No two of them may
 * carry the same idempotent request.
 */
export async function createPets(
  database: PostgresDatabase,
  environment: Environment,
  creations: readonly Creation[],
): Promise<CreateOutcome[]> {
  const requests = creations.flatMap(({ request }) => request ?? []);
  if (requests.length === 0) {
    const added = await insertNewPets(
      database,
      environment,
      creations.map(({ pet }) => pet),
    );
    return added.map((pet) => ({ kind: 'created', pet }));
  }
  // Looked up before ids are taken: a repeated request must not leave a gap.
  const earlier = await recall(database, environment, requests);
  const outcomes = creations.map((creation) => earlierOutcome(creation, earlier));
  const missing = outcomes.filter((outcome) => outcome === undefined).length;
  const ids = missing > 0 ? await newPetIds(database, environment, missing) : [];
  const pets = new Map<Creation, Pet>();
  for (const [index, creation] of creations.entries()) {
    const id = outcomes[index] ? undefined : ids[pets.size];
    if (id !== undefined) pets.set(creation, { id, ...creation.pet });
  }
  const raced = pets.size > 0 ? await insert(database, environment, pets) : new Map();
  return creations.map((creation, index) => {
    const pet = pets.get(creation);
    const known = outcomes[index] ?? earlierOutcome(creation, raced);
    if (known) return known;
    if (!pet) throw new Error('The database gave too few ids.');
    return { kind: 'created', pet };
  });
}

/**
 * @returns the requests that another process carried out meanwhile: nothing was added for them.
 * @throws StorageUnavailable when one of them is on record no more; then nothing was added at all.
 */
async function insert(
  database: PostgresDatabase,
  environment: Environment,
  pets: ReadonlyMap<Creation, Pet>,
): Promise<Map<string, EarlierRow>> {
  const repeatable = [...pets].flatMap(([{ request, now }, { id }]) =>
    request ? [{ request, now, id }] : [],
  );
  if (repeatable.length === 0) {
    await insertPets(database, environment, [...pets.values()]);
    return new Map();
  }
  return database.transaction(async (queries) => {
    const ours = await claim(queries, environment, repeatable);
    const lost = repeatable.filter(({ id }) => !ours.has(id));
    const lostIds = new Set(lost.map(({ id }) => id));
    const added = [...pets.values()].filter(({ id }) => !lostIds.has(id));
    await insertPets(queries, environment, added);
    const requests = lost.map(({ request }) => request);
    const raced = await recall(queries, environment, requests);
    if (raced.size < lost.length) {
      throw new StorageUnavailable(new Error('What carried out a request was dropped meanwhile.'));
    }
    return raced;
  });
}

/** Records the requests that are not on record, or not for 24 hours; gives the ids of these. */
async function claim(
  queries: Queries,
  environment: Environment,
  repeatable: readonly Repeatable[],
): Promise<Set<number>> {
  // In one order everywhere: two processes that share several keys wait for one another only once.
  const sorted = repeatable.toSorted((one, other) =>
    nameOf(one.request) < nameOf(other.request) ? -1 : 1,
  );
  const rows = await queries.all<{ id: number }>(
    `INSERT INTO idempotent_requests AS kept
       (environment, account_id, key, fingerprint, pet_id, created_at)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
     ON CONFLICT (environment, account_id, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
           created_at = excluded.created_at
       WHERE kept.created_at <= excluded.created_at - ${REMEMBERED}
     RETURNING pet_id::float8 AS id`,
    environment,
    texts(sorted.map(({ request }) => request.accountId)),
    texts(sorted.map(({ request }) => request.key)),
    texts(sorted.map(({ request }) => request.fingerprint)),
    integers(sorted.map(({ id }) => id)),
    integers(sorted.map(({ now }) => now)),
  );
  return new Set(rows.map(({ id }) => id));
}

/** What is on record of these requests, by name. */
async function recall(
  queries: Queries,
  environment: Environment,
  requests: readonly IdempotentRequest[],
): Promise<Map<string, EarlierRow>> {
  if (requests.length === 0) return new Map();
  const rows = await queries.all<EarlierRow>(
    `SELECT kept.account_id, kept.key, kept.fingerprint, kept.created_at::float8 AS created_at,
       pets.id::float8 AS id, pets.name, pets.category_id, pets.status
     FROM unnest($2::text[], $3::text[]) AS asked (account_id, key)
     JOIN idempotent_requests AS kept ON kept.environment = $1
       AND kept.account_id = asked.account_id AND kept.key = asked.key
     JOIN pets ON pets.environment = $1 AND pets.id = kept.pet_id`,
    environment,
    texts(requests.map(({ accountId }) => accountId)),
    texts(requests.map(({ key }) => key)),
  );
  return new Map(rows.map((row) => [nameOf({ accountId: row.account_id, key: row.key }), row]));
}

function earlierOutcome(
  { request, now }: Creation,
  earlier: ReadonlyMap<string, EarlierRow>,
): CreateOutcome | undefined {
  const row = request && earlier.get(nameOf(request));
  if (!row || row.created_at <= now - REMEMBERED) return undefined;
  if (row.fingerprint !== request.fingerprint) return { kind: 'mismatch' };
  const { id, name, category_id, status } = row;
  return { kind: 'replayed', pet: { id, name, categoryId: toInt64(category_id), status } };
}

function nameOf({ accountId, key }: { accountId: string; key: string }): string {
  return JSON.stringify([accountId, key]);
}
