import type { Selectable } from 'kysely';
import {
  IDEMPOTENCY_TTL,
  type IdempotentRequest,
  isExpired,
  type StoredReply,
} from '../core/idempotency.ts';
import { givenRows } from './schema/row-statements.ts';
import type { Database } from './schema/schema.ts';
import { columnList, type Selection } from './schema/selection.ts';

type Row = Selectable<Database['idempotent_requests']>;

/** A recorded request. */
export interface Earlier {
  readonly fingerprint: string;
  /** Epoch ms. */
  readonly recordedAt: number;
  /** The id of the pet that it created. */
  readonly petId: number;
  /** `undefined` if an earlier release recorded it. */
  readonly reply: StoredReply | undefined;
}

type EarlierOutcome =
  | { readonly kind: 'replayed'; readonly reply: StoredReply }
  | { readonly kind: 'mismatch' };

/** A request to record with its first reply, and the id of the pet that it creates. */
export interface Claim {
  readonly request: IdempotentRequest;
  /** Epoch ms. */
  readonly now: number;
  readonly petId: number;
  readonly reply: StoredReply;
}

const TABLE = 'idempotent_requests';
const KEY = ['account_id', 'key'] as const;
export const COLUMNS = [
  ...KEY,
  ...(['fingerprint', 'pet_id', 'created_at', 'reply_status', 'reply_body'] as const),
] as const;
const LIST = COLUMNS.join(', ');
const READ = columnList({ table: TABLE, columns: COLUMNS });

/** The rows of requests: on SQLite of one, given by account and key; on PostgreSQL of many, given as JSON. */
export const RECALL: Selection<Row> = {
  sqlite: `SELECT ${READ.sqlite} FROM ${TABLE} WHERE account_id = ? AND key = ?`,
  postgres: `SELECT ${READ.postgres} FROM ${TABLE} WHERE environment = $1
    AND (account_id, key) IN (SELECT account_id, key FROM ${givenRows(TABLE, KEY, '$2')})`,
};

const UNLESS_IN_FORCE = `DO UPDATE SET
    ${COLUMNS.slice(KEY.length).map((column) => `${column} = excluded.${column}`)}
  WHERE excluded.created_at - kept.created_at >= ${IDEMPOTENCY_TTL}`;

/** Inserts the rows of requests, as in `RECALL`, or replaces expired ones. */
export const CLAIM: Selection<{ readonly id: number }> = {
  sqlite: `INSERT INTO ${TABLE} AS kept (${LIST}) VALUES (${COLUMNS.map(() => '?')})
    ON CONFLICT (account_id, key) ${UNLESS_IN_FORCE}`,
  postgres: `INSERT INTO ${TABLE} AS kept (environment, ${LIST})
    SELECT $1, ${LIST} FROM ${givenRows(TABLE, COLUMNS, '$2')} ORDER BY place
    ON CONFLICT (environment, account_id, key) ${UNLESS_IN_FORCE} RETURNING pet_id::float8 AS id`,
};

/** What identifies an idempotent request. */
export type NamedRequest = Pick<IdempotentRequest, 'accountId' | 'key'>;

/** A unique name for an idempotent request. */
export function nameOf({ accountId, key }: NamedRequest): string {
  return JSON.stringify([accountId, key]);
}

/** Reads a row that `RECALL` returned. */
export function earlierFrom(row: Row): Earlier {
  const { fingerprint, created_at, pet_id } = row;
  return { fingerprint, recordedAt: created_at, petId: pet_id, reply: storedReply(row) };
}

/**
 * An earlier release, running at the same time as this one, reuses an expired row for another pet but leaves the old
 * reply in the row.
 */
function storedReply({ pet_id, reply_status, reply_body }: Row): StoredReply | undefined {
  if (reply_status === null || !reply_body?.startsWith(`{"id":${pet_id},`)) return undefined;
  return { status: reply_status, body: reply_body };
}

/** The outcome of a request that was handled before; `undefined` for a new one. */
export function earlierOutcome(
  { fingerprint }: IdempotentRequest,
  now: number,
  { reply, ...earlier }: Earlier,
): EarlierOutcome | undefined {
  if (!reply || isExpired(earlier.recordedAt, now)) return undefined;
  return earlier.fingerprint === fingerprint ? { kind: 'replayed', reply } : { kind: 'mismatch' };
}

/** The row of `CLAIM` for a request. */
export function claimRow({ request, now, petId, reply }: Claim): Row {
  return {
    account_id: request.accountId,
    key: request.key,
    fingerprint: request.fingerprint,
    pet_id: petId,
    created_at: now,
    reply_status: reply.status,
    reply_body: reply.body,
  };
}
