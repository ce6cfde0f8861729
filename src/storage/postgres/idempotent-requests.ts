import type { Environment } from '../../core/environments.ts';
import {
  IDEMPOTENCY_TTL,
  type IdempotentRequest,
  type StoredReply,
} from '../../core/idempotency.ts';
import { creationReply } from '../../core/pets/pet-json.ts';
import type { Pet } from '../../core/pets/pets.ts';
import { bucketOf } from '../pets/buckets.ts';
import { petFromRow, selectPets } from '../pets/pet-pages.ts';
import { nameOf, storedReply } from '../pets/pets.ts';
import { select } from '../schema/selection.ts';
import { integers, type Queries, texts } from './queries.ts';

/** An idempotent request, and the pet to add unless the request was handled before. */
export interface Repeatable {
  readonly request: IdempotentRequest;
  readonly now: number;
  readonly pet: Pet;
}

/** An idempotent request that was handled before. */
export interface Earlier {
  readonly fingerprint: string;
  readonly created_at: number;
  readonly reply: StoredReply;
}

// Without a join with the pets, which may be on other nodes.
const RECALL = select(
  'idempotent_requests',
  [
    ...(['account_id', 'key', 'fingerprint', 'created_at', 'pet_id'] as const),
    ...(['reply_status', 'reply_body'] as const),
  ],
  `JOIN unnest(?::text[], ?::text[]) AS asked (by_account, with_key)
   ON key = with_key WHERE account_id = by_account`,
);

const BY_IDS = selectPets('pets.id = ANY(?::bigint[])', 'bucket = ANY(?::bigint[])');

const CLAIM = `INSERT INTO idempotent_requests AS kept
    (environment, account_id, key, fingerprint, pet_id, created_at, reply_status, reply_body)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::text[])
  ON CONFLICT (environment, account_id, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
        created_at = excluded.created_at, reply_status = excluded.reply_status,
        reply_body = excluded.reply_body
    WHERE excluded.created_at - kept.created_at >= ${IDEMPOTENCY_TTL}
  RETURNING pet_id::float8 AS id`;

/** Records the requests that have no row, or an expired one; returns the ids of their pets. */
export async function claim(
  queries: Queries,
  environment: Environment,
  repeatable: readonly Repeatable[],
): Promise<Set<number>> {
  if (repeatable.length === 0) return new Set();
  // Sorted in every process: two processes with several keys in common wait for each other only once.
  const sorted = repeatable.toSorted((one, other) =>
    nameOf(one.request) < nameOf(other.request) ? -1 : 1,
  );
  const replies = sorted.map(({ pet }) => creationReply(pet));
  const rows = await queries.all<{ id: number }>(
    CLAIM,
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

/** The rows of these requests, by name, except those whose pet no longer exists. */
export async function recall(
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

async function petsById(
  queries: Queries,
  environment: Environment,
  ids: readonly number[],
): Promise<Map<number, Pet>> {
  if (ids.length === 0) return new Map();
  const buckets = [...new Set(ids.map(bucketOf))];
  const rows = await queries.rows(BY_IDS, environment, integers(buckets), integers(ids));
  return new Map(rows.map((row) => [row.id, petFromRow(row)]));
}
