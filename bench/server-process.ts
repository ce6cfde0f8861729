import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tracked } from './children.ts';
import { onCore, SERVER_CORE } from './machine.ts';
import { threadTime, type Usage, usageOf } from './process-tree.ts';

/** Milliseconds in which a server must send its first 200, and in which it must stop. */
const START_DEADLINE = 120_000;
const STOP_DEADLINE = 60_000;

/** Milliseconds between two attempts to get the first reply. */
const PAUSE = 1;

export interface ServerCommand {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly port: number;
  /** Runs the server on all cores instead of the core of the contestant. */
  readonly onEveryCore?: true;
  /** A path with a 200 reply once the server is ready. */
  readonly readyPath: string;
  readonly readyKey?: string | undefined;
  /** The file of its output. */
  readonly log: string;
}

/** A contestant in its own process. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: Bun.Subprocess<'ignore'>;
  readonly #log: string;
  #startUp = 0;
  #startUpCpu = 0;
  readonly port: number;

  private constructor(child: Bun.Subprocess<'ignore'>, { log, port }: ServerCommand) {
    this.#child = child;
    this.#log = log;
    this.port = port;
  }

  static async start(command: ServerCommand): Promise<ServerProcess> {
    const output = Bun.file(command.log);
    const begun = performance.now();
    const child = tracked(
      Bun.spawn(command.onEveryCore ? [...command.command] : onCore(SERVER_CORE, command.command), {
        env: { ...withoutSettings(), ...command.env },
        stdin: 'ignore',
        stdout: output,
        stderr: output,
      }),
    );
    const server = new ServerProcess(child, command);
    try {
      await server.#untilReady(command, begun);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    server.#startUp = performance.now() - begun;
    return server;
  }

  /** Milliseconds from spawn to the first 200. */
  get startUp(): number {
    return this.#startUp;
  }

  /** CPU milliseconds from spawn to the first 200. */
  get startUpCpu(): number {
    return this.#startUpCpu;
  }

  /** CPU milliseconds of the process so far. */
  cpu(): number {
    return threadTime(this.#child.pid);
  }

  usage(): Usage {
    return usageOf(this.#child.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const cutOff = setTimeout(() => this.#child.kill('SIGKILL'), STOP_DEADLINE);
    this.#child.kill('SIGTERM');
    await this.#child.exited;
    clearTimeout(cutOff);
  }

  async #untilReady({ port, readyPath, readyKey }: ServerCommand, begun: number) {
    const headers: Record<string, string> =
      readyKey === undefined ? {} : { Authorization: `Bearer ${readyKey}` };
    while (performance.now() - begun < START_DEADLINE) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) break;
      const reply = await fetch(`http://127.0.0.1:${port}${readyPath}`, { headers }).catch(
        () => undefined,
      );
      // At once, because the service goes on loading code after its first reply.
      if (reply?.status === 200) this.#startUpCpu = this.cpu();
      const text = await reply?.text();
      if (reply?.status === 200) return;
      if (reply) throw new Error(`The first reply was ${reply.status}: ${text}\n${this.#output()}`);
      await Bun.sleep(PAUSE);
    }
    throw new Error(`The server did not start:\n${this.#output()}`);
  }

  #output(): string {
    return readFileSync(this.#log, 'utf8').slice(-2_000);
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    probe.close(() => resolve(port));
  });
  return promise;
}

/** The environment without settings of the service, so that a developer's settings have no effect. */
export function withoutSettings(): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name.startsWith('PETSTORE_') ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(inherited), NODE_ENV: 'production' };
}
