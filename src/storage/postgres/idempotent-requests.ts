import type { Environment } from '../../core/environments.ts';
import { type IdempotentRequest, REMEMBERED, type StoredReply } from '../../core/idempotency.ts';
import { creationReply } from '../../core/pet-json.ts';
import type { Pet } from '../../core/pets.ts';
import { storedReply } from '../pets.ts';
import { select } from '../selection.ts';
import { integers, type Queries, texts, type Value } from './database.ts';
import { petsById } from './pet-rows.ts';

/** A creation that may be repeated, and the pet that it adds unless the request was handled before. */
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

/** Idempotent requests of one environment. */
export interface IdempotentRequests {
  readonly environment: Environment;
  /**
   * Whether their accounts lie on several nodes: a statement for each request is sent to the node of its
   * account, while one for all requests would be spread over all shards.
   */
  readonly isDistributed: boolean;
}

// On the distribution column of the table alone: no join with the pets, which lie elsewhere.
const RECALL = selectRequests(`JOIN unnest(?::text[], ?::text[]) AS asked (by_account, with_key)
  ON account_id = by_account AND key = with_key WHERE environment = ?`);
const RECALL_ONE = selectRequests('WHERE account_id = ? AND key = ? AND environment = ?');

const CLAIM_ALL =
  claiming(`SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[],
  $6::bigint[], $7::bigint[], $8::text[])`);
const CLAIM_ONE = claiming('VALUES ($1, $2, $3, $4, $5, $6, $7, $8)');

function selectRequests(rest: string) {
  const columns = ['account_id', 'key', 'fingerprint', 'created_at', 'pet_id'] as const;
  return select('idempotent_requests', [...columns, 'reply_status', 'reply_body'], rest);
}

type RequestRow = NonNullable<(typeof RECALL)['row']>;

function claiming(rows: string): string {
  return `INSERT INTO idempotent_requests AS kept
      (environment, account_id, key, fingerprint, pet_id, created_at, reply_status, reply_body)
    ${rows}
    ON CONFLICT (environment, account_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
          created_at = excluded.created_at, reply_status = excluded.reply_status,
          reply_body = excluded.reply_body
      WHERE abs(kept.created_at - excluded.created_at) >= ${REMEMBERED}
    RETURNING pet_id::float8 AS id`;
}

/** Records the requests that have no row, or one that is not remembered; returns the ids of their pets. */
export async function claim(
  queries: Queries,
  { environment, isDistributed }: IdempotentRequests,
  repeatable: readonly Repeatable[],
): Promise<Set<number>> {
  if (repeatable.length === 0) return new Set();
  // In one order everywhere: two processes that share several keys wait for one another only once.
  const sorted = repeatable.toSorted((one, other) =>
    nameOf(one.request) < nameOf(other.request) ? -1 : 1,
  );
  const texted = sorted.map(({ request }) => [request.accountId, request.key, request.fingerprint]);
  const numbers = sorted.map(({ pet, now }) => [pet.id, now, creationReply(pet).status]);
  const bodies = sorted.map(({ pet }) => creationReply(pet).body);
  const column = <T>(rows: readonly T[][], index: number) =>
    rows.flatMap((row) => row[index] ?? []);
  const statements: Value[][] = isDistributed
    ? sorted.map((_, row) => [...(texted[row] ?? []), ...(numbers[row] ?? []), bodies[row] ?? ''])
    : [
        [
          ...[0, 1, 2].map((index) => texts(column(texted, index))),
          ...[0, 1, 2].map((index) => integers(column(numbers, index))),
          texts(bodies),
        ],
      ];
  const claimed = await Promise.all(
    statements.map((values) =>
      queries.all<{ id: number }>(isDistributed ? CLAIM_ONE : CLAIM_ALL, environment, ...values),
    ),
  );
  return new Set(claimed.flat().map(({ id }) => id));
}

/** The rows of these requests, by name. Those of a pet that is gone are left out. */
export async function recall(
  queries: Queries,
  { environment, isDistributed }: IdempotentRequests,
  requests: readonly IdempotentRequest[],
): Promise<Map<string, Earlier>> {
  if (requests.length === 0) return new Map();
  const rows = isDistributed
    ? await recallOneByOne(queries, environment, requests)
    : await queries.rows(
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

async function recallOneByOne(
  queries: Queries,
  environment: Environment,
  requests: readonly IdempotentRequest[],
): Promise<RequestRow[]> {
  const rows = requests.map(({ accountId, key }) =>
    queries.rows(RECALL_ONE, accountId, key, environment),
  );
  return (await Promise.all(rows)).flat();
}

/** Tells idempotent requests apart. */
export function nameOf({ accountId, key }: { accountId: string; key: string }): string {
  return JSON.stringify([accountId, key]);
}
