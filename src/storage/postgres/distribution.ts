import type { SQL } from 'bun';
import { OperatorError, SetupError } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../schema/schema.ts';
import { isConflict, repeatAfter, sqlStateOf } from './failures.ts';
import type { Queries } from './queries.ts';

/** A connection or a transaction to run statements on. */
type Statements = Pick<SQL, 'unsafe'>;

/** A table of the schema, and how a sharded database distributes its rows. */
interface Placement {
  readonly name: TableName;
  /** The column, or `reference`. */
  readonly by: string;
}

const ALL: readonly Placement[] = TABLE_NAMES.map((name) => ({
  name,
  by: TABLES[name].distributedBy,
}));

/** Tables that stay on the coordinator. */
const LOCAL = ALL.filter(({ by }) => by === 'coordinator').map(({ name }) => name);

/** Tables whose rows are distributed over the nodes, by a column. */
export const SPREAD = ALL.filter(({ by }) => by !== 'coordinator' && by !== 'reference');

/** Reference tables come first, because others refer to them. */
const PLACEMENTS = [...ALL.filter(({ by }) => by === 'reference'), ...SPREAD];

/** Tables that have a row as soon as the database is used. */
export const IN_USE: readonly TableName[] = ['accounts', 'pets', 'audit'];

/** The maximum number of rows of a table that are copied while its changes wait, which takes a moment. */
const COPIED_AT_ONCE = 10_000;

/** The number of attempts for one table, and the pause (ms), which grows with each: writers hold locks on it. */
const ATTEMPTS = { most: 10, pause: 0.2 * SECOND } as const;

/** Identifies the advisory lock of the process that distributes tables. Any number would do. */
const LOCK = 7_053_881_624;

const HAS_EXTENSION = "SELECT 1 FROM pg_extension WHERE extname = 'citus'";

/** Whether the database has the extension for sharding (Citus). */
export async function isShardable(connection: Statements): Promise<boolean> {
  const found = await connection.unsafe(HAS_EXTENSION);
  return found.length > 0;
}

/** Whether pets are distributed over the nodes of the database. */
export async function isDistributed(queries: Queries): Promise<boolean> {
  if (!(await queries.get(HAS_EXTENSION))) return false;
  const row = await queries.get(
    "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'pets'::regclass AND partmethod = 'h'",
  );
  return row !== undefined;
}

/** Whether there are tables that the start must distribute. */
export async function hasTablesToDistribute(connection: Statements): Promise<boolean> {
  if (!(await isShardable(connection))) return false;
  const missing = await missingPlacements(connection);
  if (missing.length === 0) return false;
  return missing.every(({ name }) => name !== 'pets') || !(await isInUse(connection));
}

/**
 * Distributes the tables of a database that was never used, and those that a new release adds to a distributed one.
 * Does nothing if there are none.
 */
export async function distributeNewTables(connection: Statements): Promise<void> {
  if (!(await hasTablesToDistribute(connection))) return;
  // Without any registered node, Citus uses the server itself.
  const nodes = await connection.unsafe('SELECT 1 FROM pg_dist_node LIMIT 1');
  if (nodes.length > 0) await requireWorkers(connection);
  const missing = await missingPlacements(connection);
  await prepare(connection, missing);
  for (const placement of missing) await place(connection, placement, 'create_distributed_table');
}

/** @throws SetupError when no node of the database may have shards. */
export async function requireWorkers(connection: Statements): Promise<void> {
  const workers = await connection.unsafe(
    'SELECT 1 FROM pg_dist_node WHERE isactive AND shouldhaveshards LIMIT 1',
  );
  if (workers.length > 0) return;
  throw new SetupError(
    'The database has Citus, but no workers. Add them on the coordinator first: SELECT citus_add_node(host, port).',
  );
}

/**
 * Runs the work while no other process distributes tables. The lock belongs to the connection that does the work,
 * so that it lasts until the server has finished even if the process is killed. It is not part of a transaction,
 * because distributing a table concurrently with changes waits for all transactions that changed or locked rows.
 * @param connection a single connection.
 * @throws OperatorError when another process distributes tables, or the server still works for one that was killed.
 */
export async function whileDistributing(
  connection: Statements,
  work: () => Promise<void>,
): Promise<void> {
  const [row] = await connection.unsafe<{ locked: boolean }[]>(
    `SELECT pg_try_advisory_lock(${LOCK}) AS locked`,
  );
  if (row?.locked !== true) {
    throw new OperatorError(
      'Another process is distributing this database, or PostgreSQL is still working for one that was interrupted. Wait until it has finished, and run this again.',
    );
  }
  try {
    await work();
  } finally {
    await connection.unsafe(`SELECT pg_advisory_unlock(${LOCK})`);
  }
}

/** Prevents others from distributing tables until the end of the transaction; `false` when one does so now. */
export async function preventDistribution(transaction: Statements): Promise<boolean> {
  if (!(await isShardable(transaction))) return true;
  const [row] = await transaction.unsafe<{ locked: boolean }[]>(
    `SELECT pg_try_advisory_xact_lock(${LOCK}) AS locked`,
  );
  return row?.locked === true;
}

/**
 * Distributes the tables of a database that is in use. Changes to large tables are not blocked while their rows are
 * copied; changes to small tables and to reference tables wait. Continues where it was interrupted.
 * @param onTable called for each table before it is distributed.
 */
export async function distribute(
  connection: Statements,
  onTable: (name: string, done: number, tables: number) => void,
): Promise<void> {
  await repeatAfter(isBlocked, ATTEMPTS, () => bringBack(connection));
  const missing = await missingPlacements(connection);
  await repeatAfter(isBlocked, ATTEMPTS, () => prepare(connection, missing));
  for (const [index, placement] of missing.entries()) {
    const { name } = placement;
    onTable(name, index, missing.length);
    // Distributing concurrently with changes takes some seconds even for the smallest table.
    const rows = await connection.unsafe(`SELECT 1 FROM ${name} LIMIT ${COPIED_AT_ONCE + 1}`);
    const beside = rows.length > COPIED_AT_ONCE ? '_concurrently' : '';
    await repeatAfter(isBlocked, ATTEMPTS, () =>
      place(connection, placement, `create_distributed_table${beside}`),
    );
  }
}

/** The tables that are not distributed yet, in the order in which they must be distributed. */
export async function missingPlacements(connection: Statements): Promise<Placement[]> {
  const rows = await connection.unsafe<{ name: string }[]>(
    `SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h' OR repmodel = 't'`,
  );
  const placed = new Set(rows.map(({ name }) => name));
  return PLACEMENTS.filter(({ name }) => !placed.has(name));
}

async function isInUse(connection: Statements): Promise<boolean> {
  for (const table of IN_USE) {
    if ((await connection.unsafe(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0) return true;
  }
  return false;
}

/** Moves tables that an earlier release distributed, or had on every node, back to the coordinator. */
async function bringBack(connection: Statements): Promise<void> {
  for (const name of LOCAL) {
    await connection.unsafe(
      `SELECT undistribute_table(logicalrelid) FROM pg_dist_partition
       WHERE logicalrelid = to_regclass($1) AND (partmethod = 'h' OR repmodel = 't')`,
      [name],
    );
  }
}

/** Whether a writer held a lock that the statement needed, so that another attempt may succeed. */
function isBlocked(error: unknown): boolean {
  return isConflict(error) || sqlStateOf(error) === '55P03';
}

/** Prepares the database for distributing pets. */
async function prepare(connection: Statements, missing: readonly Placement[]): Promise<void> {
  if (missing.every(({ name }) => name !== 'pets')) return;
  // Distributed tables cannot have triggers. Releases that need this one must not start any more.
  await connection.unsafe('DROP TRIGGER IF EXISTS pets_bucket ON pets');
  await connection.unsafe(
    "UPDATE petstore_schema SET works_with = greatest(works_with, done) WHERE name = 'petstore'",
  );
  const [row] = await connection.unsafe<{ database: string }[]>(
    'SELECT quote_ident(current_database()) AS database',
  );
  // A statement on several shards of a node processes them one after the other: opening a connection for each
  // would cost a hundred times as much as reading the few rows.
  await connection.unsafe(
    `ALTER DATABASE ${row?.database} SET citus.max_adaptive_executor_pool_size = 1`,
  );
}

async function place(connection: Statements, { name, by }: Placement, how: string): Promise<void> {
  if (by === 'reference') {
    await connection.unsafe('SELECT create_reference_table($1)', [name]);
    return;
  }
  // The first table with this column, with which the others are co-located.
  const first = PLACEMENTS.find((other) => other.by === by)?.name ?? name;
  const beside = first === name ? 'none' : first;
  await connection.unsafe(`SELECT ${how}($1, $2, colocate_with => $3)`, [name, by, beside]);
}
