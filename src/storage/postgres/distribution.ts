import type { SQL } from 'bun';
import { TABLES, type TableName } from '../schema.ts';
import type { Queries } from './database.ts';

/** What statements are sent to: a connection or a transaction. */
type Statements = Pick<SQL, 'unsafe'>;

/** A table of the schema, and how a sharded database places its rows. */
interface Placement {
  readonly name: TableName;
  /** The column, or `reference`. */
  readonly by: string;
}

// The keys of an object literal are all that it has.
const NAMES = Object.keys(TABLES) as TableName[];

const ALL: readonly Placement[] = NAMES.map((name) => ({ name, by: TABLES[name].distributedBy }));

/** Tables that stay on the coordinator. */
const LOCAL = ALL.filter(({ by }) => by === 'coordinator').map(({ name }) => name);

/** Tables whose rows are spread over the nodes, by a column. */
export const SPREAD = ALL.filter(({ by }) => by !== 'coordinator' && by !== 'reference');

/** The reference tables come first: others refer to them. */
const PLACEMENTS = [...ALL.filter(({ by }) => by === 'reference'), ...SPREAD];

/** Tables that have a row as soon as anybody used the database. */
const IN_USE: readonly TableName[] = ['accounts', 'pets', 'audit'];

/** Rows of a table that are copied while its changes wait, which takes a moment. */
const COPIED_AT_ONCE = 10_000;

const HAS_EXTENSION = "SELECT 1 FROM pg_extension WHERE extname = 'citus'";

/** Whether the database has the extension that shards it. */
export async function isShardable(connection: Statements): Promise<boolean> {
  const found = await connection.unsafe(HAS_EXTENSION);
  return found.length > 0;
}

/** Whether pets are spread over the nodes of the database. */
export async function isDistributed(queries: Queries): Promise<boolean> {
  if (!(await queries.get(HAS_EXTENSION))) return false;
  const row = await queries.get(
    "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'pets'::regclass AND partmethod = 'h'",
  );
  return row !== undefined;
}

/** Whether there are tables that a start distributes. */
export async function hasTablesToDistribute(connection: Statements): Promise<boolean> {
  if (!(await isShardable(connection))) return false;
  const missing = await missingPlacements(connection);
  if (missing.length === 0) return false;
  return missing.every(({ name }) => name !== 'pets') || !(await isInUse(connection));
}

interface WorkerRow {
  readonly node: string;
  readonly reached: boolean;
}

/** The workers that the coordinator does not reach, as `host:port`. May raise `StorageUnavailable`. */
export async function findLostNodes(queries: Queries): Promise<string[]> {
  const rows = await queries.all<WorkerRow>(
    `SELECT nodename || ':' || nodeport AS node,
       coalesce(citus_check_connection_to_node(nodename, nodeport), false) AS reached
     FROM pg_dist_node WHERE isactive AND groupid <> 0 ORDER BY 1`,
  );
  return rows.filter(({ reached }) => !reached).map(({ node }) => node);
}

/**
 * Distributes the tables of a database that nobody has used yet, and those that a new release adds to a
 * distributed one. Does nothing where there are none.
 */
export async function distributeNewTables(connection: Statements): Promise<void> {
  if (!(await hasTablesToDistribute(connection))) return;
  const missing = await missingPlacements(connection);
  await prepare(connection, missing);
  for (const placement of missing) await place(connection, placement, 'create_distributed_table');
}

/**
 * Distributes the tables of a database that is in use. Changes of large tables are not held up while
 * rows are copied; those of small ones and of reference tables wait. Goes on where it was interrupted.
 * @param onTable told of each table before it is distributed.
 */
export async function distribute(
  connection: Statements,
  onTable: (name: string, done: number, tables: number) => void,
): Promise<void> {
  await bringBack(connection);
  const missing = await missingPlacements(connection);
  await prepare(connection, missing);
  for (const [index, placement] of missing.entries()) {
    const { name } = placement;
    onTable(name, index, missing.length);
    // Beside running changes takes some seconds for the smallest table.
    const rows = await connection.unsafe(`SELECT 1 FROM ${name} LIMIT ${COPIED_AT_ONCE + 1}`);
    const beside = rows.length > COPIED_AT_ONCE ? '_concurrently' : '';
    await place(connection, placement, `create_distributed_table${beside}`);
  }
}

/** The tables that are not placed yet, in the order in which they are to be. */
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

/** Tables that an earlier release spread or had on every node, and this one has on the coordinator. */
async function bringBack(connection: Statements): Promise<void> {
  for (const name of LOCAL) {
    await connection.unsafe(
      `SELECT undistribute_table(logicalrelid) FROM pg_dist_partition
       WHERE logicalrelid = to_regclass($1) AND (partmethod = 'h' OR repmodel = 't')`,
      [name],
    );
  }
}

/** What has to be so before pets are distributed. */
async function prepare(connection: Statements, missing: readonly Placement[]): Promise<void> {
  if (missing.every(({ name }) => name !== 'pets')) return;
  // Distributed tables have no triggers. Releases that need this one name no bucket, and must not start any more.
  await connection.unsafe('DROP TRIGGER IF EXISTS pets_bucket ON pets');
  await connection.unsafe(
    "UPDATE petstore_schema SET works_with = greatest(works_with, done) WHERE name = 'petstore'",
  );
  const [row] = await connection.unsafe<{ database: string }[]>(
    'SELECT quote_ident(current_database()) AS database',
  );
  // A statement over several shards of a node takes them one after the other: opening a connection for each
  // costs a hundred times as much as the few rows that it is about.
  await connection.unsafe(
    `ALTER DATABASE ${row?.database} SET citus.max_adaptive_executor_pool_size = 1`,
  );
}

async function place(connection: Statements, { name, by }: Placement, how: string): Promise<void> {
  if (by === 'reference') {
    await connection.unsafe('SELECT create_reference_table($1)', [name]);
    return;
  }
  // The first table with this column, whose shards the others follow.
  const first = PLACEMENTS.find((other) => other.by === by)?.name ?? name;
  const beside = first === name ? 'none' : first;
  await connection.unsafe(`SELECT ${how}($1, $2, colocate_with => $3)`, [name, by, beside]);
}
