import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tracked } from '../children.ts';
import { CannotRun } from '../machine.ts';
import { type Usage, usageOf } from '../process-tree.ts';
import { freePort, withoutSettings } from '../server-process.ts';

/** Milliseconds until a server must answer, and between two probes. */
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

/** A private server on a free port, in a temporary folder that is deleted when it is disposed of. */
class PrivateServer implements AsyncDisposable {
  readonly #child: Bun.Subprocess;
  readonly #folder: string;
  readonly url: string;

  private constructor(child: Bun.Subprocess, folder: string, url: string) {
    this.#child = child;
    this.#folder = folder;
    this.url = url;
  }

  static async start(url: string, { command, folder, probe }: Program): Promise<PrivateServer> {
    const server = new PrivateServer(spawn(command, folder), folder, url);
    const deadline = performance.now() + START_DEADLINE;
    while (performance.now() < deadline && server.#child.exitCode === null) {
      if ((await spawn(probe, folder).exited) === 0) return server;
      await Bun.sleep(PAUSE);
    }
    await server[Symbol.asyncDispose]();
    throw new Error(`${command.join(' ')} did not start.`);
  }

  usage(): Usage {
    return usageOf(this.#child.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // PostgreSQL calls this a fast shutdown: it disconnects clients.
    this.#child.kill('SIGINT');
    await this.#child.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export type { PrivateServer };

/** PostgreSQL with default settings: every commit is on disk before it is acknowledged. */
export async function startPostgres(): Promise<PrivateServer> {
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
      ...['-c', 'listen_addresses=127.0.0.1'],
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
