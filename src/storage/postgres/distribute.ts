import type { SQL } from 'bun';
import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import { connect } from './connection.ts';
import {
  distribute,
  isShardable,
  missingPlacements,
  requireWorkers,
  whileDistributing,
} from './distribution.ts';
import { migrate } from './migrate.ts';
import { requirePrimary } from './primary.ts';

/** A table of a sharded database. */
interface DistributedTable {
  readonly name: string;
  /** The column, or `reference` if every node has all rows. */
  readonly distributedBy: string;
  readonly shards: number;
  /** `null` while a worker is lost. */
  readonly bytes: number | null;
}

/** The part of the distributed tables, without reference tables, that is on one node. */
interface NodeShare {
  /** `host:port` */
  readonly node: string;
  readonly shards: number;
  /** `null` while a worker is lost. */
  readonly bytes: number | null;
}

export interface Distribution {
  readonly tables: readonly DistributedTable[];
  readonly nodes: readonly NodeShare[];
  /** Workers that the coordinator cannot reach, as `host:port`. */
  readonly lost: readonly string[];
  /** Tables that the schema distributes but that are still only on the coordinator. */
  readonly missing: readonly string[];
}

/** Workers that the coordinator cannot reach; it opens a new connection to each, all at once. */
const LOST = `SELECT nodename || ':' || nodeport AS node
  FROM run_command_on_workers('SELECT 1') WHERE NOT success ORDER BY 1`;

const WITH_SIZES = {
  tables: selectTables('coalesce(citus_total_relation_size(table_name, false), 0)::float8'),
  nodes: `SELECT nodename || ':' || nodeport AS node, count(*)::int AS shards,
      coalesce(sum(shard_size), 0)::float8 AS bytes
    FROM citus_shards WHERE citus_table_type = 'distributed' GROUP BY 1 ORDER BY 1`,
};

const WITHOUT_SIZES = {
  tables: selectTables('NULL::float8'),
  nodes: `SELECT nodename || ':' || nodeport AS node, count(*)::int AS shards, NULL::float8 AS bytes
    FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid)
      JOIN pg_dist_partition USING (logicalrelid)
    WHERE partmethod = 'h' GROUP BY 1 ORDER BY 1`,
};

function selectTables(bytes: string): string {
  return `SELECT table_name::text AS name,
      CASE citus_table_type WHEN 'reference' THEN 'reference' ELSE distribution_column END
        AS "distributedBy",
      shard_count::int AS shards, ${bytes} AS bytes
    FROM citus_tables WHERE citus_table_type IN ('reference', 'distributed') ORDER BY 4 DESC, 1`;
}

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
    // A migration would wait for another process that distributes tables.
    await whileDistributing(connection, async () => {});
    await migrate(primary);
    await whileDistributing(connection, () => distribute(connection, onTable));
  });
}

/**
 * Which tables are distributed, and which part of them is on each node.
 * @throws SetupError when the database cannot be used.
 * @throws OperatorError when Citus is not installed, or the server is a worker.
 */
export async function describeDistribution(servers: DatabaseAddresses): Promise<Distribution> {
  const primary = await requirePrimary(servers);
  return withCitus(primary, async (connection) => {
    const lost = (await connection.unsafe<{ node: string }[]>(LOST)).map(({ node }) => node);
    // Each size of each table would wait for a worker that hangs.
    const { tables, nodes } = lost.length > 0 ? WITHOUT_SIZES : WITH_SIZES;
    return {
      tables: await connection.unsafe<DistributedTable[]>(tables),
      nodes: await connection.unsafe<NodeShare[]>(nodes),
      lost,
      missing: (await missingPlacements(connection)).map(({ name }) => name),
    };
  });
}

async function withCitus<T>(url: string, work: (connection: SQL) => Promise<T>): Promise<T> {
  const connection = connect(url, 0, 1);
  try {
    // A node that hangs is noticed after 2 s instead of 30.
    await connection.unsafe("SET citus.node_connection_timeout = '2s'");
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
    return await work(connection);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`Citus refuses: ${messageOf(error)}.`, { cause: error });
  } finally {
    await connection.close({ timeout: 0 });
  }
}
