import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { lazy } from '../../src/lib/lazy.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { freePort } from './free-port.ts';
import { eventually } from './harness.ts';
import { temporaryRoot } from './temporary-root.ts';
import { copyTo, TEMPLATE } from './test-database.ts';

/** The folder of the server's programs: Debian's, the newest version first; then PATH. */
function findPrograms(): string | undefined {
  const folders = [...new Bun.Glob('/usr/lib/postgresql/*/bin').scanSync({ onlyFiles: false })];
  const onPath = Bun.which('initdb');
  return folders
    .toSorted((one, other) => Bun.semver.order(versionOf(other), versionOf(one)))
    .concat(onPath ? [join(onPath, '..')] : [])
    .find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')));
}

function versionOf(folder: string): string {
  return `${folder.split('/').at(-2)}.0.0`;
}

const programs = findPrograms();

/** The missing software for servers as nodes of a sharded database; `undefined` if there is none. */
export function missingForCitus(): string | undefined {
  if (!programs) return 'PostgreSQL 15 or later, such as the package postgresql';
  const folder = Bun.spawnSync([join(programs, 'pg_config'), '--sharedir'])
    .stdout.toString()
    .trim();
  if (existsSync(join(folder, 'extension', 'citus.control'))) return undefined;
  return `Citus 13 or later for the PostgreSQL of ${programs}: ${join(folder, 'extension', 'citus.control')} is not there`;
}

/** PATH with the programs of PostgreSQL first, such as pg_dump. */
export const POSTGRES_PATH = [programs, process.env['PATH']].join(':');

/** Whether tests can start their own servers. */
export const hasPostgres = programs !== undefined;
if (!hasPostgres) {
  console.warn('PostgreSQL tests are skipped: install postgresql (15 or later) to run them.');
}

/** The secret that the services of a test share; it protects nothing. */
export const SECRET = 'a secret that all processes share, for tests';

/** Data of a server with the template, made once for all test files of this run; servers start with a copy. */
const PREPARED = process.env['TESTED_POSTGRES_DATA'];

type Server = Bun.Subprocess<'ignore', 'ignore', 'ignore'>;

/** Name of the log, without its extension. */
const LOG = 'server';

/** How many ports are tried. */
const TRIES = 5;

/**
 * A private PostgreSQL server in a temporary folder. It runs without fsync: the operating system keeps the
 * written data when the server is killed, and no test cuts the power.
 */
export class PostgresServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #user: { readonly uid: number; readonly gid: number } | undefined;
  #port = 0;
  #server: Server | undefined;
  #databases = 0;
  readonly #template = lazy(async () => {
    if (PREPARED !== undefined) return;
    await this.run(`CREATE DATABASE ${TEMPLATE}`);
    await migrate(this.url(TEMPLATE));
  });

  readonly #settings: readonly string[];

  private constructor(settings: readonly string[] = []) {
    this.#settings = settings;
    this.#folder = mkdtempSync(join(temporaryRoot, 'petstore-postgres-'));
    // PostgreSQL refuses to run as root.
    this.#user = process.getuid?.() === 0 ? idsOf('postgres') : undefined;
    if (this.#user) chownSync(this.#folder, this.#user.uid, this.#user.gid);
  }

  /** @param settings such as `wal_level=logical`. */
  static async start(settings: readonly string[] = []): Promise<PostgresServer> {
    const server = new PostgresServer(settings);
    await server.#makeData();
    await server.#startOnFreePort();
    return server;
  }

  /** A stopped server with the template, whose data other servers can start with. */
  static async prepare(): Promise<PostgresServer> {
    const server = await PostgresServer.start();
    await server.makeTemplate();
    await server.stop();
    return server;
  }

  get port(): number {
    return this.#port;
  }

  /** The data folder. */
  get data(): string {
    return join(this.#folder, 'data');
  }

  /** Starts a standby of this server; from now on commits wait for it. */
  async startStandby(): Promise<PostgresServer> {
    const standby = new PostgresServer();
    const source = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'petstore'];
    await standby.#fill('pg_basebackup', [...source, '-R', '-c', 'fast']);
    await standby.#startOnFreePort();
    // Set after the copy was made, because a promoted standby must not wait for its own standby.
    await this.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.run('SELECT pg_reload_conf()');
    const state = 'SELECT sync_state FROM pg_stat_replication';
    await eventually(async () => Bun.deepEquals(await this.run(state), [{ sync_state: 'sync' }]));
    return standby;
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.run('SELECT pg_promote()');
  }

  /** Starts the server on its port, and waits until it accepts connections. */
  async start(): Promise<void> {
    this.#server = this.#spawn(join(programs ?? '', 'postgres'), [
      ...['-D', this.data, '-p', String(this.port), '-k', this.#folder],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'max_connections=200'],
      ...[
        '-c',
        'logging_collector=on',
        '-c',
        'log_destination=jsonlog',
        '-c',
        'log_rotation_size=0',
      ],
      ...this.#settings.flatMap((setting) => ['-c', setting]),
      ...['-c', `log_directory=${this.#folder}`, '-c', `log_filename=${LOG}`],
    ]);
    await eventually(() => {
      if (this.#server?.exitCode === null) return this.#answers();
      throw new Error(`PostgreSQL ended at its start, on port ${this.port}.`);
    });
  }

  /** Tries several ports: another program may take a free port before the server has started. */
  async #startOnFreePort(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      this.#port = await freePort();
      try {
        return await this.start();
      } catch (cause) {
        if (tries === TRIES || this.#server?.exitCode === null) throw cause;
      }
    }
  }

  /** SIGTERM waits for clients, SIGINT disconnects them, SIGQUIT is a crash. */
  async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    this.#server?.kill(signal);
    await this.#server?.exited;
    this.#server = undefined;
  }

  /** Address of a database. */
  url(database = 'postgres'): string {
    return `postgres://petstore@127.0.0.1:${this.port}/${database}`;
  }

  /** Makes an empty database, and returns its address. */
  async createDatabase(options = ''): Promise<string> {
    const name = this.#nextName();
    await this.run(`CREATE DATABASE ${name} ${options}`);
    return this.url(name);
  }

  /** Makes a database with the current schema, and returns its address. */
  async createMigrated(): Promise<string> {
    await this.makeTemplate();
    const name = this.#nextName();
    await this.run(copyTo(name));
    return this.url(name);
  }

  /** Makes the template with the current schema, once. */
  makeTemplate(): Promise<void> {
    return this.#template();
  }

  /** Records the statements that a database receives from now on, for `recordedStatements`. */
  async record(url: string): Promise<void> {
    const name = new URL(url).pathname.slice(1);
    await this.run(`ALTER DATABASE ${name} SET log_statement = 'all'`);
  }

  /** The recorded statements of all databases, in their order. */
  recordedStatements(): string[] {
    const lines = readFileSync(join(this.#folder, `${LOG}.json`), 'utf8').split('\n');
    return lines.flatMap((line) => {
      const { message = '' }: { message?: string } = line === '' ? {} : JSON.parse(line);
      return /^(?:execute [^:]*|statement): (.*)$/s.exec(message)?.[1] ?? [];
    });
  }

  /** Runs a statement on a separate connection. */
  async run<Row>(text: string, url = this.url()): Promise<Row[]> {
    const sql = new SQL({ url, max: 1 });
    try {
      return await sql.unsafe<Row[]>(text);
    } finally {
      await sql.close({ timeout: 0 });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // No checkpoint, because the data is deleted.
    await this.stop('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #nextName(): string {
    this.#databases += 1;
    return `petstore_${this.#databases}`;
  }

  /** Whether this server answers: another one may have taken the port first. */
  async #answers(): Promise<boolean> {
    const folder = "SELECT current_setting('data_directory') AS folder";
    try {
      return Bun.deepEquals(await this.run(folder), [{ folder: this.data }]);
    } catch {
      return false;
    }
  }

  async #makeData(): Promise<void> {
    if (PREPARED !== undefined) return this.#run('cp', ['-R', PREPARED, this.data]);
    await this.#fill('initdb', ['-U', 'petstore', '-A', 'trust', '-E', 'UTF8']);
  }

  /** Fills the data folder. */
  #fill(program: string, args: readonly string[]): Promise<void> {
    return this.#run(join(programs ?? '', program), ['-D', this.data, '--no-sync', ...args]);
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const child = this.#spawn(program, args);
    if ((await child.exited) !== 0) throw new Error(`${program} failed in ${this.#folder}`);
  }

  #spawn(program: string, args: readonly string[]): Server {
    const user = this.#user;
    const become = user
      ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--']
      : [];
    return Bun.spawn([...become, program, ...args], {
      cwd: this.#folder,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
  }
}

function idsOf(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
