import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import { ChangeLog } from '../change-log.ts';
import type { DatabaseNodes } from '../stores.ts';
import { PostgresDatabase, type Queries } from './database.ts';

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
export class NodeWatch implements DatabaseNodes {
  readonly #database: PostgresDatabase;
  readonly #checks: PostgresDatabase;
  readonly #probes: PostgresDatabase;
  readonly #changes: ChangeLog;
  #lost: readonly WorkerRow[] = [];

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

  async check(): Promise<void> {
    const lost = await findLostNodes(this.#checks);
    const known = new Set(this.lost);
    this.#lost = lost;
    if (lost.some(({ node }) => !known.has(node))) this.#database.renewConnections();
  }

  async probe(): Promise<void> {
    await this.#changes.revision();
  }

  /** @throws StorageUnavailable if the worker with this number is lost. */
  requireReachable(group: number): void {
    const lost = this.#lost.find((worker) => worker.group === group);
    if (lost) throw new StorageUnavailable(new Error(`The node ${lost.node} cannot be reached.`));
  }

  async close(): Promise<void> {
    await Promise.all([this.#checks.close(), this.#probes.close()]);
  }
}
