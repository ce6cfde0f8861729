import type { SQL } from 'bun';
import { SetupError } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../schema/schema.ts';
import { isConflict, repeatAfter, sqlStateOf } from './failures.ts';

/** A connection or a transaction to run statements on. */
type Statements = Pick<SQL, 'unsafe'>;

/** A table of the schema, and how a sharded database distributes its rows. */
interface Placement {
  readonly name: TableName;
  /** The column, `reference` or `coordinator`. */
  readonly by: string;
}

const ALL: readonly Placement[] = TABLE_NAMES.map((name) => ({
  name,
  by: TABLES[name].distributedBy,
}));

/** Tables whose rows are distributed over the nodes, by a column. */
export const SPREAD = ALL.filter(({ by }) => by !== 'coordinator' && by !== 'reference');

/** In the order of their distribution: others refer to reference tables. */
const PLACEMENTS = [
  ...ALL.filter(({ by }) => by === 'coordinator'),
  ...ALL.filter(({ by }) => by === 'reference'),
  ...SPREAD,
];

/** Tables that have a row as soon as the database is used. */
export const IN_USE: readonly TableName[] = ['accounts', 'pets', 'audit'];

/** The maximum number of rows of a table that are copied while its changes wait, which takes a moment. */
const COPIED_AT_ONCE = 10_000;

/** The number of attempts for one table, and the pause (ms), which grows with each: writers hold locks on it. */
const ATTEMPTS = { most: 10, pause: 0.2 * SECOND } as const;

/** Identifies the advisory lock of the process that distributes tables. Any number would do. */
const LOCK = 7_053_881_624;

/** Whether the database has the extension for sharding (Citus). */
export async function isShardable(connection: Statements): Promise<boolean> {
  const found = await connection.unsafe("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  return found.length > 0;
}

/** Whether pets are distributed over the nodes of the database. */
export async function isDistributed(connection: Statements): Promise<boolean> {
  return (await isShardable(connection)) && (await placedTables(connection)).has('pets');
}

/** Tables that the start must distribute: all if the database was never used, or those that a new release adds. */
export async function newTables(connection: Statements): Promise<Placement[]> {
  if (!(await isShardable(connection))) return [];
  const missing = await missingTables(connection);
  const isFirst = missing.some(({ name }) => name === 'pets');
  return isFirst && (await isInUse(connection)) ? [] : missing;
}

/** Distributes `newTables`. */
export async function distributeNewTables(connection: Statements): Promise<void> {
  const tables = await newTables(connection);
  // Without any registered node, Citus uses the server itself.
  if (tables.length > 0) await requireWorkers(connection, true);
  await distribute(connection, tables);
}

/** @throws SetupError when no node of the database may have shards, unless none is registered and `mayBeAlone`. */
export async function requireWorkers(connection: Statements, mayBeAlone = false): Promise<void> {
  const [found] = await connection.unsafe<{ workers: boolean | null }[]>(
    'SELECT bool_or(isactive AND shouldhaveshards) AS workers FROM pg_dist_node',
  );
  if (found?.workers ?? mayBeAlone) return;
  throw new SetupError(
    'The database has Citus, but no workers. Add them on the coordinator first: SELECT citus_add_node(host, port).',
  );
}

/**
 * Prevents others from distributing tables; `false` when another process does so now. A lock of a session lasts until
 * the server has finished its last statement, even if the process is killed. A transaction with the lock would block
 * the distribution of large tables, which waits for all transactions.
 */
export async function lockDistribution(
  connection: Statements,
  until: 'end of session' | 'end of transaction',
): Promise<boolean> {
  const lock = until === 'end of session' ? 'pg_try_advisory_lock' : 'pg_try_advisory_xact_lock';
  const [row] = await connection.unsafe<{ locked: boolean }[]>(`SELECT ${lock}(${LOCK}) AS locked`);
  return row?.locked === true;
}

/**
 * Distributes tables, also of a database that is in use. Changes to large tables are not blocked while their rows are
 * copied; changes to small tables and to reference tables wait.
 * @param onTable called for each table before it is distributed.
 */
export async function distribute(
  connection: Statements,
  tables: readonly Placement[],
  onTable?: (name: string, done: number, tables: number) => void,
): Promise<void> {
  for (const [index, table] of tables.entries()) {
    onTable?.(table.name, index, tables.length);
    await repeatAfter(isBlocked, ATTEMPTS, () => place(connection, table));
  }
}

/** The tables that are not where the schema has them, in the order in which they must be distributed. */
export async function misplacedTables(connection: Statements): Promise<Placement[]> {
  const placed = await placedTables(connection);
  return PLACEMENTS.filter(({ name, by }) => placed.has(name) === (by === 'coordinator'));
}

/** The tables that are not distributed yet, in this order. */
export async function missingTables(connection: Statements): Promise<Placement[]> {
  const misplaced = await misplacedTables(connection);
  return misplaced.filter(({ by }) => by !== 'coordinator');
}

async function placedTables(connection: Statements): Promise<ReadonlySet<string>> {
  const rows = await connection.unsafe<{ name: string }[]>(
    `SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h' OR repmodel = 't'`,
  );
  return new Set(rows.map(({ name }) => name));
}

async function isInUse(connection: Statements): Promise<boolean> {
  for (const table of IN_USE) {
    if ((await connection.unsafe(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0) return true;
  }
  return false;
}

/** Whether a writer held a lock that the statement needed, so that another attempt may succeed. */
function isBlocked(error: unknown): boolean {
  return isConflict(error) || sqlStateOf(error) === '55P03';
}

async function place(connection: Statements, { name, by }: Placement): Promise<void> {
  if (by === 'coordinator') {
    // An earlier release distributed it, or had it on every node.
    await connection.unsafe('SELECT undistribute_table($1)', [name]);
    return;
  }
  if (by === 'reference') {
    await connection.unsafe('SELECT create_reference_table($1)', [name]);
    return;
  }
  if (name === 'pets') await prepare(connection);
  // Distributing concurrently with changes takes some seconds even for the smallest table.
  const rows = await connection.unsafe(`SELECT 1 FROM ${name} LIMIT ${COPIED_AT_ONCE + 1}`);
  const beside = rows.length > COPIED_AT_ONCE ? '_concurrently' : '';
  // The first table with this column, with which the others are co-located.
  const first = SPREAD.find((other) => other.by === by)?.name;
  await connection.unsafe(`SELECT create_distributed_table${beside}($1, $2, colocate_with => $3)`, [
    name,
    by,
    first === name ? 'none' : first,
  ]);
}

/** Prepares the database for distributing pets. */
async function prepare(connection: Statements): Promise<void> {
  // Distributed tables cannot have triggers. Releases that need this one must not start any more.
  await connection.unsafe('DROP TRIGGER IF EXISTS pets_bucket ON pets');
  await connection.unsafe(
    "UPDATE petstore_schema SET works_with = greatest(works_with, done) WHERE name = 'petstore'",
  );
  // A statement on several shards of a node processes them one after the other: opening a connection for each
  // would cost a hundred times as much as reading the few rows.
  await connection.unsafe(`DO $$ BEGIN EXECUTE format(
    'ALTER DATABASE %I SET citus.max_adaptive_executor_pool_size = 1', current_database()); END $$`);
}
