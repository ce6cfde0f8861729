import type { Environment } from '../../core/environments.ts';
import type { IdempotentRequest } from '../../core/idempotency.ts';
import { creationReply } from '../../core/pets/pet-json.ts';
import {
  CLAIM,
  type Claim,
  claimRow,
  type Earlier,
  earlierFrom,
  nameOf,
  RECALL,
} from '../idempotent-requests.ts';
import { findPet } from '../pets/pet-changes.ts';
import { jsonOf } from '../schema/row-statements.ts';
import { environmentStatements } from './engine.ts';
import type { Queries } from './queries.ts';

/**
 * Records the requests that have no row, or an expired one.
 * @returns the ids of their pets; other processes have recorded the other requests in the meantime.
 */
export async function claim(
  queries: Queries,
  environment: Environment,
  claims: readonly Claim[],
): Promise<ReadonlySet<number>> {
  if (claims.length === 0) return new Set();
  // Sorted in every process: two processes with several keys in common wait for each other only once.
  const sorted = claims.toSorted((one, other) =>
    nameOf(one.request) < nameOf(other.request) ? -1 : 1,
  );
  const rows = await queries.rows(CLAIM, environment, jsonOf(sorted.map(claimRow)));
  return new Set(rows.map(({ id }) => id));
}

/** The recorded ones among these requests, by name. */
export async function recall(
  queries: Queries,
  environment: Environment,
  requests: readonly IdempotentRequest[],
): Promise<Map<string, Earlier>> {
  const found = new Map<string, Earlier>();
  if (requests.length === 0) return found;
  const keys = requests.map(({ accountId, key }) => ({ account_id: accountId, key }));
  for (const row of await queries.rows(RECALL, environment, jsonOf(keys))) {
    const earlier = await withReply(queries, environment, earlierFrom(row));
    found.set(nameOf({ accountId: row.account_id, key: row.key }), earlier);
  }
  return found;
}

/** An earlier release recorded requests without replies: they get that of the pet as it is now, if it still exists. */
async function withReply(
  queries: Queries,
  environment: Environment,
  earlier: Earlier,
): Promise<Earlier> {
  if (earlier.reply) return earlier;
  const stored = await findPet(environmentStatements(queries, environment), earlier.petId);
  return stored ? { ...earlier, reply: creationReply(stored.pet) } : earlier;
}
