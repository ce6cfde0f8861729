import { migrate } from '../../src/storage/postgres/migrate.ts';
import { TABLE_NAMES, TABLES } from '../../src/storage/schema/schema.ts';
import { PostgresServer } from '../support/postgres-server.ts';

const SETTINGS = [
  'shared_preload_libraries=citus',
  'wal_level=logical',
  'max_prepared_transactions=100',
  'citus.node_conninfo=sslmode=disable',
  'citus.node_connection_timeout=1s',
  // A small number, because each test uses all shards.
  'citus.shard_count=8',
];

/** The column of each table that a distributed database has on its workers, or `reference`. */
export const PLACEMENTS = Object.fromEntries(
  Object.entries(TABLES).flatMap(([name, { distributedBy }]) =>
    distributedBy === 'coordinator' ? [] : [[name, distributedBy]],
  ),
);

/** A coordinator and workers, each a private PostgreSQL server with Citus. */
export class CitusCluster implements AsyncDisposable {
  readonly coordinator: PostgresServer;
  readonly workers: readonly PostgresServer[];
  #databases = 0;

  private constructor(coordinator: PostgresServer, workers: readonly PostgresServer[]) {
    this.coordinator = coordinator;
    this.workers = workers;
  }

  static async start(workers = 2): Promise<CitusCluster> {
    const started = Array.from({ length: workers + 1 }, () => PostgresServer.start(SETTINGS));
    const [coordinator, ...others] = await Promise.all(started);
    if (!coordinator) throw new Error('No server was started.');
    const cluster = new CitusCluster(coordinator, others);
    await Promise.all([coordinator, ...others].map(allowOutputPlugin));
    return cluster;
  }

  /** Creates a database on every node and registers the workers; returns the address on the coordinator. */
  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `cluster_${this.#databases}`;
    const nodes = [this.coordinator, ...this.workers];
    await Promise.all(
      nodes.map(async (node) => {
        await node.run(`CREATE DATABASE ${name}`);
        await node.run('CREATE EXTENSION citus', node.url(name));
      }),
    );
    const url = this.coordinator.url(name);
    await this.join(url);
    return url;
  }

  /** The address of a database with every server as a host, the coordinator last. */
  urlOfAll(url: string): string {
    const { host } = new URL(url);
    const workers = this.workers.map(({ port }) => `127.0.0.1:${port}`);
    return url.replace(host, [...workers, host].join(','));
  }

  /** Registers the workers at the coordinator of a database. */
  async join(url: string): Promise<void> {
    const run = (sql: string) => this.coordinator.run(sql, url);
    await run(`SELECT citus_set_coordinator_host('127.0.0.1', ${this.coordinator.port})`);
    for (const { port } of this.workers) await run(`SELECT citus_add_node('127.0.0.1', ${port})`);
  }

  /** Creates a database with the distributed tables of the service. */
  async createMigrated(): Promise<string> {
    const url = await this.createDatabase();
    await migrate(url);
    return url;
  }

  /** Creates a database with the tables of the service, as if Citus had been installed later. */
  async createUndistributed(): Promise<string> {
    const url = await this.createDatabase();
    await this.coordinator.run('DROP EXTENSION citus', url);
    await migrate(url);
    return url;
  }

  /** Installs the extension in such a database, and registers the workers. */
  async makeDistributable(url: string): Promise<void> {
    await this.coordinator.run('CREATE EXTENSION citus', url);
    await this.join(url);
  }

  /** The distributed tables, as in `PLACEMENTS`. */
  async placements(url: string): Promise<Record<string, string>> {
    const rows = await this.coordinator.run<{ name: string; by: string }>(
      `SELECT table_name::text AS name, CASE citus_table_type WHEN 'distributed'
         THEN distribution_column ELSE citus_table_type END AS by FROM citus_tables`,
      url,
    );
    return Object.fromEntries(rows.map(({ name, by }) => [name, by]));
  }

  /** Restores the initial content of a migrated database. */
  async empty(url: string): Promise<void> {
    const tables = TABLE_NAMES.join(', ');
    await this.coordinator.run(`TRUNCATE ${tables}`, url);
    await this.coordinator.run("INSERT INTO revision (name, value) VALUES ('changes', 0)", url);
    for (const name of [
      'production_pet_ids',
      'staging_pet_ids',
      'message_sequence',
      'audit_numbers',
    ]) {
      await this.coordinator.run(`SELECT setval('${name}', 1, false)`, url);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [this.coordinator, ...this.workers].map((node) => node[Symbol.asyncDispose]()),
    );
  }
}

/** Allows Citus to copy shards while they are changed, where PostgreSQL lists the libraries that may decode changes. */
async function allowOutputPlugin(server: PostgresServer): Promise<void> {
  const listed = await server.run("SELECT FROM pg_settings WHERE name = 'output_plugin_libraries'");
  if (listed.length === 0) return;
  await server.run("ALTER SYSTEM SET output_plugin_libraries = 'citus'");
  await server.run('SELECT pg_reload_conf()');
}
