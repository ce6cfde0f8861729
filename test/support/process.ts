import { join } from 'node:path';
import { shellWord } from '../../src/cli/output.ts';
import { API_PARTS } from '../../src/core/environments.ts';
import { testDatabaseFor } from './test-database.ts';

/** The command line of the service, from its source. */
export const SOURCE = [process.execPath, join(import.meta.dir, '..', '..', 'src', 'main.ts')];

/** The executable that was built for all test files of this run, if any. */
export const EXECUTABLE = process.env['TESTED_EXECUTABLE'];

/** The command line of the service: the executable if there is one, which starts faster. */
export const PROGRAM = EXECUTABLE === undefined ? SOURCE : [EXECUTABLE];

/** The command line that the service shows in its output. */
export const SHOWN_PROGRAM =
  EXECUTABLE === undefined ? 'npm run -s petstore --' : shellWord(EXECUTABLE);

/** The environment without settings of the service, so that a developer's settings have no effect. */
export function cleanEnvironment(
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(?:PETSTORE|OTEL)_/.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...settings };
}

/** The database for services of this folder, if they use one. */
async function databaseBeside(settings: Readonly<Record<string, string>>) {
  const folder = settings['PETSTORE_DATA_DIR'];
  return folder === undefined ? {} : testDatabaseFor(folder);
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a command line in its own process; the caller waits for its end. */
export function startCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  program = PROGRAM,
): Bun.Subprocess<'ignore', 'pipe', 'pipe'> {
  return Bun.spawn([...program, ...args], {
    env: cleanEnvironment(settings),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

/** Runs a command line in its own process until it ends. */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  program = PROGRAM,
): Promise<CommandResult> {
  const all = { ...(await databaseBeside(settings)), ...settings };
  const child = startCommand(args, all, program);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

type ServeChild = Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

/** `petstore serve` in its own process, on a free port; killed with SIGKILL on disposal. */
export class ServiceProcess implements AsyncDisposable {
  readonly #child: ServeChild;
  readonly #output: Promise<string>;
  #log = '';
  readonly port: number;
  readonly opsPort: number;

  private constructor(
    child: ServeChild,
    { port, opsPort }: { port: number; opsPort: number },
    log: string,
    rest: Promise<string>,
  ) {
    this.#child = child;
    this.port = port;
    this.opsPort = opsPort;
    this.#log = log;
    this.#output = rest;
  }

  /**
   * Starts the parts of the API, unless the arguments name others. The pages take three quarters of a start's CPU time.
   * @param wrap a command line that runs the service, such as one that sets resource limits.
   */
  static start(
    settings: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    wrap: readonly string[] = [],
  ): Promise<ServiceProcess> {
    const parts = args.includes('--only') ? [] : ['--only', API_PARTS.join()];
    return ServiceProcess.startWithPages(settings, [...parts, ...args], wrap);
  }

  /** Starts every part, unless the arguments name some. */
  static async startWithPages(
    settings: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    wrap: readonly string[] = [],
  ): Promise<ServiceProcess> {
    const env = cleanEnvironment({
      PETSTORE_PORT: '0',
      PETSTORE_OPS_PORT: '0',
      ...(await databaseBeside(settings)),
      ...settings,
    });
    return ServiceProcess.run([...wrap, ...PROGRAM, 'serve', ...args], { env });
  }

  /** Runs a command line that serves, and waits until it is ready. */
  static async run(
    command: readonly string[],
    options: { readonly env?: Record<string, string>; readonly cwd?: string } = {},
  ): Promise<ServiceProcess> {
    const child = Bun.spawn([...command], {
      ...options,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const reader = child.stdout.getReader();
    const decoder = new TextDecoder();
    let log = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`${log}${await new Response(child.stderr).text()}`);
      log += decoder.decode(value, { stream: true });
      const ports = /"port":(\d+),"opsPort":(\d+).*"msg":"listening"/.exec(log);
      if (!ports) continue;
      const [port, opsPort] = [Number(ports[1]), Number(ports[2])];
      return new ServiceProcess(child, { port, opsPort }, log, drain(reader, decoder));
    }
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The process that serves: another one than `pid` if a program started it. */
  get servicePid(): number {
    return Number(/"pid":(\d+)/.exec(this.#log)?.[1]);
  }

  /** Waits until the process ends by itself; returns its exit code. */
  get exited(): Promise<number> {
    return this.#child.exited;
  }

  url(environment: 'production' | 'staging' = 'production'): string {
    return `http://localhost:${this.port}${environment === 'staging' ? '/staging' : ''}/v1`;
  }

  /** Sends the signal and waits for the end; returns the exit code, or null if a signal ended the process. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    await this.#child.exited;
    return this.#child.exitCode;
  }

  /** The whole output on stdout and stderr; waits for the end of the process. */
  async output(): Promise<string> {
    return this.#log + (await this.#output) + (await new Response(this.#child.stderr).text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.end('SIGKILL');
  }
}

async function drain(
  reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> },
  decoder: TextDecoder,
): Promise<string> {
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
}
