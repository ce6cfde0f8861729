import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tracked } from '../children.ts';
import { CannotRun } from '../machine.ts';
import { familyOf, type Usage, usageOf } from '../process-tree.ts';
import { freePort, withoutSettings } from '../server-process.ts';

/** The time in which a server must answer, and the pause between two probes, in ms. */
const START_DEADLINE = 30_000;
const PAUSE = 50;

/** PostgreSQL refuses to run as root; Debian's package creates this user. */
const POSTGRES_USER = 'postgres';

interface User {
  readonly uid: number;
  readonly gid: number;
}

interface Program {
  readonly command: readonly string[];
  readonly folder: string;
  /** Exits with 0 once the server answers. */
  readonly probe: readonly string[];
}

/** A private server on a free port, in a temporary folder that is deleted on disposal. */
class PrivateServer implements AsyncDisposable {
  readonly #program: Program;
  readonly url: string;
  #child: Bun.Subprocess;

  private constructor(url: string, program: Program) {
    this.#program = program;
    this.url = url;
    this.#child = spawn(program.command, program.folder);
  }

  static async start(url: string, program: Program): Promise<PrivateServer> {
    const server = new PrivateServer(url, program);
    await server.#untilReady();
    return server;
  }

  /** Ends the server like a crash. */
  async crash(): Promise<void> {
    this.#child.kill('SIGQUIT');
    await this.#child.exited;
  }

  /** Restarts the server after a crash. */
  async restart(): Promise<void> {
    this.#child = spawn(this.#program.command, this.#program.folder);
    await this.#untilReady();
  }

  /** Stops all processes of the server, as if the network were cut; returns a function that lets them go on. */
  suspend(): () => void {
    // First the main process, so that it starts no others.
    this.#child.kill('SIGSTOP');
    const pids = familyOf(this.#child.pid).map(({ pid }) => pid);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    return () => {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    };
  }

  usage(): Usage {
    return usageOf(this.#child.pid);
  }

  async #untilReady(): Promise<void> {
    const { command, folder, probe } = this.#program;
    const deadline = performance.now() + START_DEADLINE;
    while (performance.now() < deadline && this.#child.exitCode === null) {
      if ((await spawn(probe, folder).exited) === 0) return;
      await Bun.sleep(PAUSE);
    }
    await this[Symbol.asyncDispose]();
    throw new Error(`${command.join(' ')} did not start.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // PostgreSQL calls this a fast shutdown: it disconnects clients.
    this.#child.kill('SIGINT');
    await this.#child.exited;
    rmSync(this.#program.folder, { recursive: true, force: true });
  }
}

export type { PrivateServer };

/**
 * PostgreSQL with default settings: every commit is on disk before it is acknowledged.
 * @param settings such as `wal_level=logical`.
 */
export async function startPostgres(settings: readonly string[] = []): Promise<PrivateServer> {
  const programs = postgresPrograms();
  if (!programs) throw new CannotRun(MISSING_POSTGRES);
  const folder = temporaryFolder('petstore-bench-postgres-');
  const user = process.getuid?.() === 0 ? idsOf(POSTGRES_USER) : undefined;
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const program = (name: string, ...options: string[]) => [
    ...become(user),
    ...[join(programs, name), ...options],
  ];
  const made = spawn(
    program('initdb', '-D', data, '-U', 'petstore', '-A', 'trust', '-E', 'UTF8', '--no-sync'),
    folder,
  );
  if ((await made.exited) !== 0) throw new Error(`initdb failed in ${folder}.`);
  const port = String(await freePort());
  return PrivateServer.start(`postgres://petstore@127.0.0.1:${port}/postgres`, {
    folder,
    command: program(
      ...['postgres', '-D', data, '-p', port, '-k', folder],
      ...['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting]),
    ),
    probe: program('pg_isready', '--quiet', '-h', '127.0.0.1', '-p', port),
  });
}

/** Redis without persistence. */
export async function startRedis(): Promise<PrivateServer> {
  const folder = temporaryFolder('petstore-bench-redis-');
  const port = String(await freePort());
  return PrivateServer.start(`redis://127.0.0.1:${port}`, {
    folder,
    command: [
      ...['redis-server', '--port', port, '--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--appendonly', 'no'],
    ],
    probe: ['redis-cli', '-p', port, '-e', 'ping'],
  });
}

const MISSING_POSTGRES = 'PostgreSQL is missing: apt-get install postgresql';

/** @returns the missing servers, with the commands that install them. */
export function missingServers(): string[] {
  const problems: string[] = [];
  if (!postgresPrograms()) problems.push(MISSING_POSTGRES);
  if (!(Bun.which('redis-server') && Bun.which('redis-cli'))) {
    problems.push('Redis is missing: apt-get install redis-server');
  }
  return problems;
}

/** Whether the servers can be nodes of a sharded database. */
export function hasCitus(): boolean {
  const programs = postgresPrograms();
  if (!programs) return false;
  const shared = Bun.spawnSync([join(programs, 'pg_config'), '--sharedir']).stdout.toString();
  return existsSync(join(shared.trim(), 'extension', 'citus.control'));
}

/** The versions of both servers. */
export function describeServers(): string {
  const version = (command: string[]) =>
    /\d+(\.\d+)+/.exec(Bun.spawnSync(command).stdout.toString())?.[0] ?? 'unknown';
  const postgres = version([join(postgresPrograms() ?? '', 'postgres'), '--version']);
  return `PostgreSQL ${postgres}, Redis ${version(['redis-server', '--version'])}`;
}

/** The folder of the server's programs: Debian's, the newest version first; then PATH. */
function postgresPrograms(): string | undefined {
  const folders = [...new Bun.Glob('/usr/lib/postgresql/*/bin').scanSync({ onlyFiles: false })];
  const onPath = Bun.which('initdb');
  const versionOf = (folder: string) => Number(folder.split('/').at(-2));
  return folders
    .toSorted((one, other) => versionOf(other) - versionOf(one))
    .concat(onPath ? [join(onPath, '..')] : [])
    .find((folder) => existsSync(join(folder, 'postgres')));
}

/** Outside of this program's own folder, which the user of PostgreSQL may not enter. */
function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function become(user: User | undefined): string[] {
  if (!user) return [];
  return ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--'];
}

function idsOf(name: string): User {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined) throw new CannotRun(`There is no user ${name} to run PostgreSQL as.`);
  return { uid: Number(uid), gid: Number(gid) };
}

function spawn(command: readonly string[], folder: string): Bun.Subprocess {
  return tracked(
    Bun.spawn([...command], {
      cwd: folder,
      env: withoutSettings(),
      stdio: ['ignore', 'ignore', 'ignore'],
    }),
  );
}
