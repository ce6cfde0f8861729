import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { eventually } from './harness.ts';
import { AS_NOBODY, giveToNobody } from './nobody.ts';
import type { PostgresServer } from './postgres-server.ts';
import { temporaryRoot } from './temporary-root.ts';

/** The path of PgBouncer, if it is installed. Debian's is in a folder for administrators. */
export const PG_BOUNCER = Bun.which('pgbouncer', {
  PATH: `${process.env['PATH']}:/usr/sbin`,
});

/** The version of the installed PgBouncer, such as 1.25.2. */
export function pgBouncerVersion(): string {
  if (PG_BOUNCER === null) return '0.0.0';
  const { stdout } = Bun.spawnSync([PG_BOUNCER, '--version']);
  return /\d+\.\d+\.\d+/.exec(stdout.toString())?.[0] ?? '0.0.0';
}

/** PgBouncer in front of a server. */
export class PgBouncer implements AsyncDisposable {
  readonly #folder: string;
  readonly #child: Bun.Subprocess<'ignore', 'ignore', 'ignore'>;
  readonly #port: number;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    const program = [...AS_NOBODY, PG_BOUNCER ?? 'pgbouncer', join(folder, 'pgbouncer.ini')];
    this.#child = Bun.spawn(program, { stdio: ['ignore', 'ignore', 'ignore'] });
  }

  /**
   * @param settings lines of the section `[pgbouncer]`, besides the address and the mode.
   * @param mode how long a client has a connection to the server.
   */
  static async start(
    server: PostgresServer,
    settings: readonly string[],
    mode: 'transaction' | 'statement' = 'transaction',
  ): Promise<PgBouncer> {
    const folder = mkdtempSync(join(temporaryRoot, 'petstore-pgbouncer-'));
    const port = await freePort();
    const lines = [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      `logfile = ${join(folder, 'log')}`,
      `auth_file = ${join(folder, 'users')}`,
      'auth_type = trust',
      `pool_mode = ${mode}`,
      ...settings,
    ];
    writeFileSync(join(folder, 'users'), '"petstore" ""\n');
    writeFileSync(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
    giveToNobody(folder);
    const pooler = new PgBouncer(folder, port);
    await eventually(() => pooler.#answers());
    return pooler;
  }

  /** The address through the pooler. @param url the address of a database of the server. */
  url(url: string): string {
    const through = new URL(url);
    through.port = String(this.#port);
    return through.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    if (this.#child.exitCode !== null) throw new Error(await this.log());
    try {
      const socket = await Bun.connect({
        hostname: '127.0.0.1',
        port: this.#port,
        socket: { data() {} },
      });
      socket.end();
      return true;
    } catch {
      return false;
    }
  }

  log(): Promise<string> {
    return Bun.file(join(this.#folder, 'log')).text();
  }
}
