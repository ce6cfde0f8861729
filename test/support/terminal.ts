import { stripVTControlCharacters } from 'node:util';
import { eventually } from './harness.ts';
import { cleanEnvironment } from './process.ts';

/** A command in its own terminal; both of its output streams are one text. */
export class TerminalProcess implements AsyncDisposable {
  readonly #child: Bun.Subprocess;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(command: readonly string[], settings: Readonly<Record<string, string>>, cwd = '.') {
    this.#child = Bun.spawn([...command], {
      cwd,
      env: cleanEnvironment(settings),
      terminal: {
        cols: 120,
        rows: 40,
        data: (_, data) => {
          this.#text += this.#decoder.decode(data, { stream: true });
        },
      },
    });
  }

  /** The output so far, without colours and cursor movements. */
  get text(): string {
    return stripVTControlCharacters(this.#text).replaceAll('\r\n', '\n');
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Waits until the pattern appears in the output. */
  async shows(pattern: RegExp): Promise<void> {
    await eventually(() => {
      if (pattern.test(this.text)) return true;
      if (this.ended) throw new Error(`Ended without ${pattern}: ${this.text}`);
      return false;
    });
  }

  /** Types on the keyboard; '\x03' is Ctrl-C. */
  type(keys: string): void {
    this.#child.terminal?.write(keys);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Signals the command and all of its child processes, as a service manager does. */
  signalGroup(name: NodeJS.Signals): void {
    process.kill(-this.#child.pid, name);
  }

  /** Waits for the end; returns the exit code, or null if a signal ended the command. */
  async end(): Promise<number | null> {
    await this.#child.exited;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.ended) this.#child.kill('SIGKILL');
    await this.#child.exited;
    this.#child.terminal?.close();
  }
}
