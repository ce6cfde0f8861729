import { stripVTControlCharacters } from 'node:util';
import { eventually } from './harness.ts';
import { cleanEnvironment } from './process.ts';

/** A command that runs in a terminal of its own: what it writes to either stream is one text. */
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

  /** What was written so far, without colours and cursor movements. */
  get text(): string {
    return stripVTControlCharacters(this.#text).replaceAll('\r\n', '\n');
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Waits until the pattern is on the screen. */
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

  /** Signals the command and everything that it started, as a service manager does. */
  signalGroup(name: NodeJS.Signals): void {
    process.kill(-this.#child.pid, name);
  }

  /** Waits for the end; gives the exit code, or null after a signal's death. */
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
