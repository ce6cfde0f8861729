import { SQL } from 'bun';

/** SQLSTATE: the transaction lost against another one, and may win when it is made again. */
const LOST_RACE = /^(40001|40P01)$/;

/**
 * SQLSTATE, by class: the connection (08), resources such as a full disk (53), limits of time and
 * shutdowns (57, 25P03), the machine (58), a lock not to be had (55P03), a primary that was demoted
 * (25006), a transaction that was taken back for whatever reason (40).
 */
const AWAY = /^(08|53|57|58|40)...$|^(25006|25P03|55P03)$/;

/** Bun's codes for a connection that is not to be had, or was lost. */
const CONNECTION = /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)_/;

/** A prepared statement outlived a change of its table. */
const STALE_PLAN = 'cached plan must not change result type';

/** Bun's codes for a server to which no connection can be made. */
const UNREACHABLE = /^ERR_POSTGRES_CONNECTION_(REFUSED|FAILED|TIMEOUT)$/;

/** SQLSTATE: the server crashed, is starting, or is a standby. */
const NO_PRIMARY = /^(57P02|57P03|25006)$/;

/** SQLSTATE: the server that answers cannot connect to another one. */
const LOST_NODE = /^08...$/;

/** What Citus says, with a code of its own bugs, when the connection to a node breaks within a transaction. */
const BROKEN_CONNECTION = 'failure on connection marked as essential';

/** In the context of an error that came from another server. */
const ON_A_NODE = 'while executing command on';

/** SQLSTATE: a full disk, memory or a configured limit exhausted, an input/output error. */
const FAILED_WRITE = /^(53[124]00|58...)$/;

/** The error's SQLSTATE; `undefined` when the server has not said any. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof SQL.PostgresError ? error.errno : undefined;
}

/** Whether nothing was changed, and the same may work when it is asked for again at once. */
export function isLostRace(error: unknown): boolean {
  return LOST_RACE.test(sqlStateOf(error) ?? '');
}

/** Whether a row has this key already. A sharded database has another code for it where it copies rows. */
export function isTaken(error: unknown): boolean {
  if (sqlStateOf(error) === '23505') return true;
  return error instanceof SQL.PostgresError && error.message.startsWith('duplicate key value');
}

/** Whether the connection remembers a table as it was before a migration. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.message.includes(STALE_PLAN);
}

/** Whether the database failed, rather than what was asked of it: the same may work in a moment. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  const state = error.errno;
  if (state === undefined) return CONNECTION.test(error.code);
  return AWAY.test(state) || error.message.startsWith(BROKEN_CONNECTION);
}

/** Whether the server has no room for changes, or failed to write to its disk. */
export function isFailedWrite(error: unknown): boolean {
  return FAILED_WRITE.test(sqlStateOf(error) ?? '');
}

/** Whether no connection to the server can be made. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof SQL.PostgresError && UNREACHABLE.test(error.code);
}

/** Whether the server that answers cannot take changes, and another one may by now. */
export function isNoPrimary(error: unknown): boolean {
  return NO_PRIMARY.test(sqlStateOf(error) ?? '') && !isOfOneNode(error);
}

/** Whether one node of a sharded database failed, while the server that answers works. */
export function isOfOneNode(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  // Only a server that answers gives a code.
  const isLost = error.errno !== undefined && LOST_NODE.test(error.errno);
  const isBroken = error.message.startsWith(BROKEN_CONNECTION);
  return isLost || isBroken || error.where?.includes(ON_A_NODE) === true;
}
