import { SQL } from 'bun';
import { StorageUnavailable } from '../../core/errors.ts';

/** SQLSTATE: the transaction conflicted with another one and may succeed when retried. */
const CONFLICT = /^(40001|40P01)$/;

/**
 * SQLSTATE, by class: the connection (08), resources such as a full disk (53), timeouts and shutdowns
 * (57, 25P03), the machine (58), a lock that is not available (55P03), a primary that was demoted
 * (25006), a transaction that was rolled back for any reason (40).
 */
const UNAVAILABLE = /^(08|53|57|58|40)...$|^(25006|25P03|55P03)$/;

/** Bun's codes for a connection that cannot be opened or was lost. */
const CONNECTION = /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)_/;

/** The message of an error when a table was changed after a statement was prepared. */
const STALE_PLAN = 'cached plan must not change result type';

/** Bun's codes for a server to which no connection can be made. */
const UNREACHABLE = /^ERR_POSTGRES_CONNECTION_(REFUSED|FAILED|TIMEOUT)$/;

/** SQLSTATE: the server crashed, is starting, or is a standby. */
const NO_PRIMARY = /^(57P02|57P03|25006)$/;

/** SQLSTATE: the server that replies cannot connect to another one. */
const LOST_NODE = /^08...$/;

/** Citus's message, with the code for internal errors, when the connection to a node breaks in a transaction. */
const BROKEN_CONNECTION = 'failure on connection marked as essential';

/** The beginning of Citus's message, with the code for internal errors, when a shard was replaced since the plan. */
const REPLACED_SHARD = 'could not find valid entry for shard';

/** Part of the context of an error that came from another server. */
const ON_A_NODE = 'while executing command on';

/** SQLSTATE: internal error. Citus uses it where a connection to a node broke, which has no code of its own. */
const INTERNAL = 'XX000';

/** libpq's messages when a connection breaks. */
const BROKEN_BY_PEER = new RegExp(
  `^(${[
    'server closed the connection',
    'SSL (connection has been closed|SYSCALL error|error)',
    'could not (receive data from|send data to) server',
    'write to server failed',
    '(connection not open|no connection to the server)',
    'lost synchronization with server',
  ].join('|')})`,
);

/** SQLSTATE: statements ended by a timeout or a shutdown (57), or failures of the machine (58). */
const INTERRUPTED = /^5[78]...$/;

/** SQLSTATE: disk full, memory or a configured limit exhausted, input/output error. */
const FAILED_WRITE = /^(53[124]00|58...)$/;

/** The SQLSTATE of an error; `undefined` if the server did not send one. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof SQL.PostgresError ? error.errno : undefined;
}

/** Whether nothing was changed, and an immediate retry may succeed. */
export function isConflict(error: unknown): boolean {
  if (CONFLICT.test(sqlStateOf(error) ?? '')) return true;
  return error instanceof SQL.PostgresError && error.message.startsWith(REPLACED_SHARD);
}

/**
 * Runs the work, and again after an error that another attempt may avoid.
 * @param attempts the maximum number, and the pause between them (ms), which is random and grows with each.
 */
export async function repeatAfter<T>(
  isAvoidable: (error: unknown) => boolean,
  attempts: { readonly most: number; readonly pause: number },
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isAvoidable(error) || tries === attempts.most) throw error;
      await Bun.sleep(Math.random() * attempts.pause * tries);
    }
  }
}

/** Whether the key already exists. A sharded database has another code for this when it copies rows. */
export function isTaken(error: unknown): boolean {
  if (sqlStateOf(error) === '23505') return true;
  return error instanceof SQL.PostgresError && error.message.startsWith('duplicate key value');
}

/** Whether a row belongs to another one that does not exist, or was deleted meanwhile. Nothing was changed. */
export function isOfMissingRow(error: unknown): boolean {
  return sqlStateOf(error) === '23503';
}

/** Whether the connection has a statement that was prepared before a migration changed its table. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.message.includes(STALE_PLAN);
}

/** Whether the database failed rather than the statement, so that a later retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  const state = error.errno;
  if (state === undefined) return CONNECTION.test(error.code);
  return UNAVAILABLE.test(state) || isBrokenToNode(error);
}

/** The database failed, and committed nothing of the statement or transaction. */
export class NothingCommitted extends StorageUnavailable {}

/**
 * Whether the server replied that it committed nothing. A sharded database may have committed a statement on a node
 * although the connection to it broke, unless the statement is part of a transaction.
 * @param mayBeCommitted whether it is a change outside of a transaction, or COMMIT was sent.
 */
export function wasRolledBack(error: unknown, mayBeCommitted: boolean): boolean {
  const state = sqlStateOf(error);
  if (state === undefined || INTERRUPTED.test(state)) return false;
  return !mayBeCommitted || !isOfOneNode(error);
}

/** Whether the server has no space for changes, or failed to write to its disk. */
export function isFailedWrite(error: unknown): boolean {
  return FAILED_WRITE.test(sqlStateOf(error) ?? '');
}

/** Whether no connection to the server can be opened. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof SQL.PostgresError && UNREACHABLE.test(error.code);
}

/** Whether the server that replies does not accept changes, and another one may be the primary now. */
export function isNoPrimary(error: unknown): boolean {
  return NO_PRIMARY.test(sqlStateOf(error) ?? '') && !isOfOneNode(error);
}

/** Whether one node of a sharded database failed while the server that replies works. */
export function isOfOneNode(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  // Only a server that replies sends a code.
  const isLost = error.errno !== undefined && LOST_NODE.test(error.errno);
  return isLost || isBrokenToNode(error) || comesFromNode(error);
}

/** Whether the connection from the server that replies to a node broke. */
function isBrokenToNode(error: SQL.PostgresError): boolean {
  if (error.message.startsWith(BROKEN_CONNECTION)) return true;
  return error.errno === INTERNAL && comesFromNode(error) && BROKEN_BY_PEER.test(error.message);
}

function comesFromNode({ where }: SQL.PostgresError): boolean {
  return where?.includes(ON_A_NODE) === true;
}
