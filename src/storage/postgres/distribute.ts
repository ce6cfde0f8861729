import type { SQL } from 'bun';
import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import { withConnection } from './connection.ts';
import {
  distribute,
  isShardable,
  lockDistribution,
  misplacedTables,
  missingTables,
  requireWorkers,
} from './distribution.ts';
import { migrate } from './migrate.ts';
import { requirePrimary } from './primary.ts';

/** How much a table or a node has. */
export interface Shards {
  readonly shards: number;
  /** `null` while a worker that has one of them is lost. */
  readonly bytes: number | null;
}

export interface Distribution {
  /** Each distributed table, with the column of its distribution, or `reference` if every node has all rows. */
  readonly tables: ReadonlyArray<
    Shards & { readonly name: string; readonly distributedBy: string }
  >;
  /** Each node (`host:port`), with what it has of the distributed tables, without reference tables. */
  readonly nodes: ReadonlyArray<Shards & { readonly node: string }>;
  /** Workers that the coordinator cannot reach, as `host:port`. */
  readonly lost: readonly string[];
  /** Tables that the schema distributes but that are still only on the coordinator. */
  readonly missing: readonly string[];
}

/** Workers that the coordinator cannot reach; it opens a new connection to each, all at once. */
const LOST = `SELECT nodename || ':' || nodeport AS node
  FROM run_command_on_workers('SELECT 1') WHERE NOT success ORDER BY 1`;

/** The size of shards; `NULL` if that of one is unknown. */
const BYTES =
  'CASE WHEN bool_and(shard_size IS NOT NULL) THEN sum(shard_size)::float8 END AS bytes';

const TABLES = `SELECT table_name::text AS name,
    coalesce(column_to_column_name(table_name, partkey), 'reference') AS "distributedBy",
    count(DISTINCT shardid)::int AS shards, ${BYTES}
  FROM citus_shards JOIN pg_dist_partition ON logicalrelid = table_name
  WHERE citus_table_type IN ('reference', 'distributed')
  GROUP BY 1, 2 ORDER BY bytes DESC, 1`;

const NODES = `SELECT nodename || ':' || nodeport AS node, count(*)::int AS shards, ${BYTES}
  FROM citus_shards WHERE citus_table_type = 'distributed' GROUP BY 1 ORDER BY 1`;

/**
 * Distributes the tables that are not distributed yet, while services use the database; see `distribute`.
 * @param onTable called for each table before it is distributed.
 * @throws SetupError when the database cannot be used.
 * @throws OperatorError when Citus is not installed or refuses, or the server is a worker.
 */
export async function distributeDatabase(
  servers: DatabaseAddresses,
  onTable: (name: string, done: number, tables: number) => void,
): Promise<void> {
  const primary = await requirePrimary(servers);
  await withCitus(primary, async (connection) => {
    await requireWorkers(connection);
    // Released at once. A migration would wait for another process that distributes tables.
    await requireLock(connection, 'end of transaction');
    await migrate(primary);
    await requireLock(connection, 'end of session');
    await distribute(connection, await misplacedTables(connection), onTable);
  });
}

async function requireLock(...lock: Parameters<typeof lockDistribution>): Promise<void> {
  if (await lockDistribution(...lock)) return;
  throw new OperatorError(
    'Another process is distributing this database, or PostgreSQL is still working for one that was interrupted. Wait until it has finished, and run this again.',
  );
}

/**
 * Which tables are distributed, and which part of them is on each node.
 * @throws SetupError when the database cannot be used.
 * @throws OperatorError when Citus is not installed, or the server is a worker.
 */
export async function describeDistribution(servers: DatabaseAddresses): Promise<Distribution> {
  const primary = await requirePrimary(servers);
  return withCitus(primary, async (connection) => ({
    tables: await connection.unsafe<[...Distribution['tables']]>(TABLES),
    nodes: await connection.unsafe<[...Distribution['nodes']]>(NODES),
    lost: (await connection.unsafe<{ node: string }[]>(LOST)).map(({ node }) => node),
    missing: (await missingTables(connection)).map(({ name }) => name),
  }));
}

async function withCitus<T>(url: string, work: (connection: SQL) => Promise<T>): Promise<T> {
  try {
    return await withConnection(url, 0, async (connection) => {
      // A node that hangs is noticed after 2 s instead of 30.
      await connection.unsafe("SET citus.node_connection_timeout = '2s'");
      await requireCoordinator(connection, url);
      return work(connection);
    });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`Citus refuses: ${messageOf(error)}.`, { cause: error });
  }
}

async function requireCoordinator(connection: SQL, url: string): Promise<void> {
  if (!(await isShardable(connection))) {
    throw new OperatorError(
      'The database has no Citus. Make the extension on each node (CREATE EXTENSION citus), add the workers (citus_add_node), and run this again.',
    );
  }
  const worker = await connection.unsafe('SELECT 1 FROM pg_dist_local_group WHERE groupid > 0');
  if (worker.length > 0) {
    throw new OperatorError(
      `${new URL(url).host} is a worker of Citus. Set PETSTORE_DATABASE_URL to the coordinator, with or without the workers.`,
    );
  }
}
