import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import { NodeLost } from '../../core/node-lost.ts';
import { ChangeLog } from '../change-log.ts';
import type { TableName } from '../schema/schema.ts';
import type { DatabaseNodes } from '../stores.ts';
import { PostgresDatabase, type Queries, texts } from './database.ts';
import { isOfOneNode } from './failures.ts';
import type { LostNodes, Owners } from './lost-nodes.ts';

interface WorkerRow {
  /** As `host:port`. */
  readonly node: string;
  /** The number of the worker and its standbys. */
  readonly group: number;
}

/** The workers that the coordinator cannot reach. */
export function findLostNodes(queries: Queries): Promise<WorkerRow[]> {
  // Opens a new connection to each worker, all at once. Canceling a statement on an open connection to a worker
  // that hangs would block the coordinator's process until the worker replies.
  return queries.all<WorkerRow>(
    `SELECT nodename || ':' || nodeport AS node, groupid AS "group"
     FROM run_command_on_workers('SELECT 1') JOIN pg_dist_node USING (nodename, nodeport)
     WHERE NOT success ORDER BY 1`,
  );
}

/**
 * Remembers which workers of a sharded database are lost. Its connections to the coordinator are separate from those
 * of requests, because statements that wait for a lost worker may hold all of these.
 */
export class NodeWatch implements DatabaseNodes, LostNodes {
  readonly #database: PostgresDatabase;
  readonly #checks: PostgresDatabase;
  readonly #probes: PostgresDatabase;
  readonly #changes: ChangeLog;
  #lost: readonly WorkerRow[] = [];
  #checking: Promise<void> | undefined;
  /** The groups of owners by table, since the last check. */
  readonly #groups = new Map<TableName, Map<string, number>>();

  /** @param database gets new connections when a worker is lost. */
  constructor(database: PostgresDatabase, primary: string, servers: DatabaseAddresses) {
    this.#database = database;
    const connect = () => {
      const separate = new PostgresDatabase(primary, servers, undefined, 1);
      separate.isDistributed = true;
      return separate;
    };
    this.#checks = connect();
    const probes = connect();
    this.#probes = probes;
    this.#changes = new ChangeLog({
      rows: (selection, ...values) => probes.rows(selection, ...values),
    });
  }

  get lost(): readonly string[] {
    return this.#lost.map(({ node }) => node);
  }

  get lostGroups(): readonly number[] {
    return this.#lost.map(({ group }) => group);
  }

  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async probe(): Promise<void> {
    await this.#changes.revision();
  }

  async requireReachable(table: TableName, owners: Owners | 'all'): Promise<void> {
    const [first] = this.#lost;
    if (!first) return;
    if (owners === 'all') throw new NodeLost(unreachable(first), []);
    const groups = await this.#groupsOf(table, owners);
    const lost = this.#lost.find(({ group }) => groups.includes(group));
    if (lost) throw new NodeLost(unreachable(lost), indicesByGroup(groups));
  }

  async failureOf(error: unknown, table: TableName, owners: Owners): Promise<unknown> {
    if (!(error instanceof StorageUnavailable) || error instanceof NodeLost) return error;
    try {
      // A worker that hangs causes a timeout, which does not tell where.
      if (!isOfOneNode(error.cause)) await this.check();
      if (!isOfOneNode(error.cause) && this.#lost.length === 0) return error;
      return new NodeLost(error.cause, indicesByGroup(await this.#groupsOf(table, owners)));
    } catch {
      // The coordinator fails as well.
      return error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#checks.close(), this.#probes.close()]);
  }

  async #check(): Promise<void> {
    const lost = await findLostNodes(this.#checks);
    const known = new Set(this.lost);
    this.#lost = lost;
    this.#groups.clear();
    if (lost.some(({ node }) => !known.has(node))) this.#database.renewConnections();
  }

  /** The group of the worker of each owner, in the same order. */
  async #groupsOf(table: TableName, owners: Owners): Promise<Array<number | undefined>> {
    const known = this.#groups.getOrInsertComputed(table, () => new Map());
    const unknown = new Set(owners.map(String).filter((owner) => !known.has(owner)));
    if (unknown.size > 0) {
      const rows = await this.#probes.all<{ owner: string; group: number }>(
        `SELECT owner, groupid AS "group" FROM unnest($2::text[]) AS owner JOIN pg_dist_placement
           ON shardid = get_shard_id_for_distribution_column($1::text::regclass, owner)`,
        table,
        texts([...unknown]),
      );
      for (const { owner, group } of rows) known.set(owner, group);
    }
    return owners.map((owner) => known.get(String(owner)));
  }
}

function unreachable({ node }: WorkerRow): Error {
  return new Error(`The node ${node} cannot be reached.`);
}

function indicesByGroup(groups: ReadonlyArray<number | undefined>): number[][] {
  return [...Map.groupBy(groups.keys(), (index) => groups[index]).values()];
}
