import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeDistribution } from '../../src/storage/postgres/distribute.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { TABLE_NAMES, TABLES } from '../../src/storage/schema/schema.ts';
import { PostgresServer } from '../support/postgres-server.ts';

const SETTINGS = [
  'shared_preload_libraries=citus',
  ...['wal_level=logical', 'max_prepared_transactions=100'],
  'citus.node_conninfo=sslmode=disable',
  'citus.node_connection_timeout=1s',
  // Citus has one for each database, and large tables need more while they are distributed.
  'max_worker_processes=64',
  // A small number, because each test uses all shards.
  'citus.shard_count=8',
];

/** The column of each table that a distributed database has on its workers, or `reference`. */
export const PLACEMENTS = Object.fromEntries(
  Object.entries(TABLES).flatMap(([name, { distributedBy }]) =>
    distributedBy === 'coordinator' ? [] : [[name, distributedBy]],
  ),
);

/** A coordinator and two workers, each a private PostgreSQL server with Citus. */
export class CitusCluster implements AsyncDisposable {
  #databases = 0;

  private constructor(
    readonly coordinator: PostgresServer,
    readonly workers: readonly [PostgresServer, PostgresServer],
  ) {}

  static async start(): Promise<CitusCluster> {
    const started = [startNode(), startNode(), startNode()] as const;
    const [coordinator, ...workers] = await Promise.all(started);
    return new CitusCluster(coordinator, workers);
  }

  /**
   * Creates a database on every node; returns the address on the coordinator.
   * @param isSharded whether it has Citus there, which knows the workers.
   */
  async createDatabase(isSharded = true): Promise<string> {
    this.#databases += 1;
    const name = `cluster_${this.#databases}`;
    for (const node of [this.coordinator, ...this.workers]) {
      await node.run(`CREATE DATABASE ${name}`);
      if (node !== this.coordinator) await node.run('CREATE EXTENSION citus', node.url(name));
    }
    const url = this.coordinator.url(name);
    if (isSharded) await this.makeDistributable(url);
    return url;
  }

  /** Installs the extension on the coordinator, and registers the workers. */
  async makeDistributable(url: string): Promise<void> {
    const run = (sql: string) => this.coordinator.run(sql, url);
    await run('CREATE EXTENSION citus');
    await run(`SELECT citus_set_coordinator_host('127.0.0.1', ${this.coordinator.port})`);
    for (const { port } of this.workers) await run(`SELECT citus_add_node('127.0.0.1', ${port})`);
  }

  /** Creates a database with the tables of the service, distributed if it is sharded. */
  async createMigrated(isSharded = true): Promise<string> {
    const url = await this.createDatabase(isSharded);
    await migrate(url);
    return url;
  }

  /** Kills a worker, or stops all of its processes as if the network were cut, until this is disposed of. */
  async take(worker: PostgresServer, how: 'killed' | 'stopped'): Promise<AsyncDisposable> {
    if (how === 'killed') {
      await worker.stop('SIGQUIT');
      return { [Symbol.asyncDispose]: () => worker.start() };
    }
    const [main = ''] = readFileSync(join(worker.data, 'postmaster.pid'), 'utf8').split('\n');
    // Stopped first, so that it starts no other processes.
    process.kill(Number(main), 'SIGSTOP');
    const children = Bun.spawnSync(['pgrep', '-P', main]).stdout.toString().trim().split('\n');
    const send = async (signal: NodeJS.Signals) => {
      for (const id of [...children, main]) process.kill(Number(id), signal);
    };
    await send('SIGSTOP');
    return { [Symbol.asyncDispose]: () => send('SIGCONT') };
  }

  /** The distributed tables, as in `PLACEMENTS`. */
  async placements(url: string): Promise<Record<string, string>> {
    const { tables } = await describeDistribution([url]);
    return Object.fromEntries(tables.map(({ name, distributedBy }) => [name, distributedBy]));
  }

  /** Restores the initial content of a migrated database. */
  async empty(url: string): Promise<void> {
    const run = (sql: string) => this.coordinator.run(sql, url);
    await run(`TRUNCATE ${TABLE_NAMES.join(', ')}`);
    await run("INSERT INTO revision (name, value) VALUES ('changes', 0)");
    const sequences = "pg_sequences WHERE schemaname = 'public'";
    await run(`SELECT setval(sequencename::regclass, 1, false) FROM ${sequences}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of [this.coordinator, ...this.workers]) await node[Symbol.asyncDispose]();
  }
}

async function startNode(): Promise<PostgresServer> {
  const server = await PostgresServer.start(SETTINGS);
  // Lets Citus copy shards while they are changed, where PostgreSQL lists the libraries that may decode changes.
  const listed = await server.run("SELECT FROM pg_settings WHERE name = 'output_plugin_libraries'");
  if (listed.length > 0) {
    await server.run("ALTER SYSTEM SET output_plugin_libraries = 'citus'");
    await server.run('SELECT pg_reload_conf()');
  }
  return server;
}
