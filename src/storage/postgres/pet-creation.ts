import type { Environment } from '../../core/environments.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import { type IdempotentRequest, REMEMBERED, type StoredReply } from '../../core/idempotency.ts';
import { creationReply } from '../../core/pet-json.ts';
import type { CreateOutcome, Pet } from '../../core/pets.ts';
import { type Creation, storedReply } from '../pets.ts';
import { select } from '../selection.ts';
import { integers, type PostgresDatabase, type Queries, texts } from './database.ts';
import { isTaken } from './failures.ts';
import { insertNewPets, insertPets, newPetIds, skipTakenIds } from './pet-insertion.ts';
import { petsById } from './pet-rows.ts';

/** A creation that may be repeated, and the pet that it adds unless the request was handled before. */
interface Repeatable {
  readonly request: IdempotentRequest;
  readonly now: number;
  readonly pet: Pet;
}

// On the distribution column of the table alone: no join with the pets, which lie elsewhere.
const RECALL = select(
  'idempotent_requests',
  ['account_id', 'key', 'fingerprint', 'created_at', 'pet_id', 'reply_status', 'reply_body'],
  `JOIN unnest(?::text[], ?::text[]) AS asked (by_account, with_key)
     ON account_id = by_account AND key = with_key WHERE environment = ?`,
);

/** An idempotent request that was handled before. */
interface Earlier {
  readonly fingerprint: string;
  readonly created_at: number;
  readonly reply: StoredReply;
}

/** How often ids are taken for a creation. */
const TRIES = 5;

/**
 * Adds many pets in one transaction, and gives each one's outcome in their order. No two of them may
 * carry the same idempotent request.
 * @throws StorageUnavailable
 */
export async function createPets(
  database: PostgresDatabase,
  environment: Environment,
  creations: readonly Creation[],
): Promise<CreateOutcome[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryToCreatePets(database, environment, creations);
    } catch (error) {
      // A creation that took its id before a reset, and inserted its pet after it, has an id that comes again.
      if (!isTaken(error)) throw error;
      if (tries === TRIES) throw new StorageUnavailable(error);
      await skipTakenIds(database, environment);
    }
  }
}

async function tryToCreatePets(
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
 * @returns the requests that another process handled meanwhile: nothing was added for them.
 * @throws StorageUnavailable when the row of one of them was deleted meanwhile; then nothing was added at all.
 */
async function insert(
  database: PostgresDatabase,
  environment: Environment,
  pets: ReadonlyMap<Creation, Pet>,
): Promise<Map<string, Earlier>> {
  const repeatable = [...pets].flatMap(([{ request, now }, pet]) =>
    request ? [{ request, now, pet }] : [],
  );
  if (repeatable.length === 0) {
    await insertPets(database, environment, [...pets.values()]);
    return new Map();
  }
  return database.transaction(async (queries) => {
    const ours = await claim(queries, environment, repeatable);
    const lost = repeatable.filter(({ pet }) => !ours.has(pet.id));
    const lostIds = new Set(lost.map(({ pet }) => pet.id));
    const added = [...pets.values()].filter(({ id }) => !lostIds.has(id));
    await insertPets(queries, environment, added);
    const requests = lost.map(({ request }) => request);
    const raced = await recall(queries, environment, requests);
    if (raced.size < lost.length) {
      throw new StorageUnavailable(new Error('An idempotent request was deleted meanwhile.'));
    }
    return raced;
  });
}

/** Records the requests that have no row, or an expired one; returns the ids of their pets. */
async function claim(
  queries: Queries,
  environment: Environment,
  repeatable: readonly Repeatable[],
): Promise<Set<number>> {
  // In one order everywhere: two processes that share several keys wait for one another only once.
  const sorted = repeatable.toSorted((one, other) =>
    nameOf(one.request) < nameOf(other.request) ? -1 : 1,
  );
  const replies = sorted.map(({ pet }) => creationReply(pet));
  const rows = await queries.all<{ id: number }>(
    `INSERT INTO idempotent_requests AS kept
       (environment, account_id, key, fingerprint, pet_id, created_at, reply_status, reply_body)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
       $7::bigint[], $8::text[])
     ON CONFLICT (environment, account_id, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
           created_at = excluded.created_at, reply_status = excluded.reply_status,
           reply_body = excluded.reply_body
       WHERE kept.created_at <= excluded.created_at - ${REMEMBERED}
     RETURNING pet_id::float8 AS id`,
    environment,
    texts(sorted.map(({ request }) => request.accountId)),
    texts(sorted.map(({ request }) => request.key)),
    texts(sorted.map(({ request }) => request.fingerprint)),
    integers(sorted.map(({ pet }) => pet.id)),
    integers(sorted.map(({ now }) => now)),
    integers(replies.map(({ status }) => status)),
    texts(replies.map(({ body }) => body)),
  );
  return new Set(rows.map(({ id }) => id));
}

/** The rows of these requests, by name. Those of a pet that is gone are left out. */
async function recall(
  queries: Queries,
  environment: Environment,
  requests: readonly IdempotentRequest[],
): Promise<Map<string, Earlier>> {
  if (requests.length === 0) return new Map();
  const rows = await queries.rows(
    RECALL,
    texts(requests.map(({ accountId }) => accountId)),
    texts(requests.map(({ key }) => key)),
    environment,
  );
  const unstored = rows.filter((row) => storedReply(row) === undefined);
  const pets = await petsById(
    queries,
    environment,
    unstored.map(({ pet_id }) => pet_id),
  );
  const earlier = new Map<string, Earlier>();
  for (const row of rows) {
    const { account_id, key, pet_id, fingerprint, created_at } = row;
    const pet = pets.get(pet_id);
    const reply = storedReply(row) ?? (pet && creationReply(pet));
    const name = nameOf({ accountId: account_id, key });
    if (reply) earlier.set(name, { fingerprint, created_at, reply });
  }
  return earlier;
}

function earlierOutcome(
  { request, now }: Creation,
  earlier: ReadonlyMap<string, Earlier>,
): CreateOutcome | undefined {
  const row = request && earlier.get(nameOf(request));
  if (!row || row.created_at <= now - REMEMBERED) return undefined;
  if (row.fingerprint !== request.fingerprint) return { kind: 'mismatch' };
  return { kind: 'replayed', reply: row.reply };
}

function nameOf({ accountId, key }: { accountId: string; key: string }): string {
  return JSON.stringify([accountId, key]);
}
