import { readdirSync } from 'node:fs';
import { temporaryFolder } from '../support/harness.ts';
import { type CommandResult, ServiceProcess } from '../support/process.ts';

/** An environment for an executable without variables, modules, or files that it has not written. */
export class EmptyPlace implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #settings: readonly string[];

  constructor(
    private readonly executable: string,
    settings: Readonly<Record<string, string>>,
  ) {
    const all = { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0', ...settings };
    this.#settings = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  }

  run(...args: string[]): Promise<CommandResult> {
    return this.#run([this.executable, ...args]);
  }

  /** Runs a line in a shell here. */
  type(line: string): Promise<CommandResult> {
    return this.#run(['/bin/sh', '-c', line]);
  }

  async #run(command: readonly string[]): Promise<CommandResult> {
    const child = Bun.spawn(this.#bare(command), {
      cwd: this.#folder.path,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
  }

  serve(): Promise<ServiceProcess> {
    return ServiceProcess.run(this.#bare([this.executable, 'serve']), { cwd: this.#folder.path });
  }

  /** A key created with the command. */
  async key(): Promise<string> {
    return (await this.run('keys', 'create', 'ada@example.com')).stdout.trim();
  }

  get files(): string[] {
    return readdirSync(this.#folder.path);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }

  #bare(command: readonly string[]): string[] {
    return ['env', '-i', ...this.#settings, ...command];
  }
}
