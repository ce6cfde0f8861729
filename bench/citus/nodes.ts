import { SQL } from 'bun';
import { type PrivateServer, startPostgres } from '../cluster/private-servers.ts';
import type { DatabaseServer } from '../cluster/servers.ts';
import type { Usage } from '../process-tree.ts';

const SETTINGS = [
  'shared_preload_libraries=citus',
  'wal_level=logical',
  'max_connections=300',
  'max_prepared_transactions=300',
  'citus.node_conninfo=sslmode=disable',
  'citus.node_connection_timeout=1s',
];

/** A coordinator and workers with Citus; the address names all of them. */
export class CitusServers implements DatabaseServer {
  readonly coordinator: PrivateServer;
  readonly workers: PrivateServer[] = [];

  private constructor(coordinator: PrivateServer) {
    this.coordinator = coordinator;
  }

  static async start(workers = 2): Promise<CitusServers> {
    const servers = new CitusServers(await startNode());
    await servers.run(
      `SELECT citus_set_coordinator_host('127.0.0.1', ${portOf(servers.coordinator)})`,
    );
    for (let number = 0; number < workers; number += 1) await servers.addWorker();
    return servers;
  }

  get url(): string {
    const [first = '', ...others] = [this.coordinator, ...this.workers].map(({ url }) => url);
    const hosts = [first, ...others].map((url) => new URL(url).host).join(',');
    return first.replace(new URL(first).host, hosts);
  }

  async addWorker(): Promise<void> {
    const worker = await startNode();
    this.workers.push(worker);
    await this.run(`SELECT citus_add_node('127.0.0.1', ${portOf(worker)})`);
  }

  /** Runs a statement on the coordinator. */
  run<Row>(statement: string): Promise<Row[]> {
    return runOn(this.coordinator, statement);
  }

  /** The worker that stores a bucket of pets. */
  async workerOf(bucket: number): Promise<PrivateServer | undefined> {
    const [row] = await this.run<{ port: number }>(
      `SELECT nodeport::int AS port FROM pg_dist_shard_placement
       WHERE shardid = get_shard_id_for_distribution_column('pets', ${bucket}::bigint)`,
    );
    return this.workers.find((worker) => portOf(worker) === row?.port);
  }

  usage(): Usage {
    const each = [this.coordinator, ...this.workers].map((node) => node.usage());
    return {
      cpu: each.reduce((sum, { cpu }) => sum + cpu, 0),
      memory: each.reduce((sum, { memory }) => sum + memory, 0),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of [this.coordinator, ...this.workers]) await node[Symbol.asyncDispose]();
  }
}

/** Runs a statement on a separate connection. */
export async function runOn<Row>({ url }: { url: string }, statement: string): Promise<Row[]> {
  const sql = new SQL({ url, max: 1 });
  try {
    return await sql.unsafe<Row[]>(statement);
  } finally {
    await sql.close();
  }
}

async function startNode(): Promise<PrivateServer> {
  const node = await startPostgres(SETTINGS);
  await runOn(node, 'CREATE EXTENSION citus');
  await allowOutputPlugin(node);
  return node;
}

/** Allows Citus to copy shards while they are changed, where PostgreSQL lists the libraries that may decode changes. */
async function allowOutputPlugin(node: PrivateServer): Promise<void> {
  const listed = await runOn(
    node,
    "SELECT FROM pg_settings WHERE name = 'output_plugin_libraries'",
  );
  if (listed.length === 0) return;
  await runOn(node, "ALTER SYSTEM SET output_plugin_libraries = 'citus'");
  await runOn(node, 'SELECT pg_reload_conf()');
}

function portOf({ url }: PrivateServer): number {
  return Number(new URL(url).port);
}
