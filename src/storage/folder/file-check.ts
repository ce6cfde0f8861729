import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { HOUR, type Instant, MINUTE } from '../../lib/clock.ts';
import { FULL_CHECK_BYTES } from '../sqlite/database.ts';

/** How often large files are checked, in ms. */
const CHECK_EVERY = HOUR;
/** When a check is tried again that could not be made, in ms. */
const RETRY_AFTER = MINUTE;

/** This program, as a command line. */
const PROGRAM = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, Bun.fileURLToPath(new URL('../../main.ts', import.meta.url))];

/**
 * Checks the files that are too large for a check at the start: soon after it, and then every hour. The
 * check runs in a process of its own with the lowest priority (`store check`): it competes with
 * requests neither for a thread nor for SQLite's locks, and a stop does not have to wait for it.
 */
export class FileCheck {
  #child: Bun.Subprocess | undefined;
  #isStopped = false;
  /** On the scale that never steps, in ms. */
  #dueAt = 0;

  /**
   * Checks the files if that is due.
   * @param onResult receives the first damage of each file that was checked, or `undefined`.
   * @throws Error when a check cannot be made.
   */
  async run(
    paths: readonly string[],
    { elapsed }: Instant,
    onResult: (path: string, finding: string | undefined) => void,
  ): Promise<void> {
    if (elapsed < this.#dueAt) return;
    this.#dueAt = elapsed + RETRY_AFTER;
    for (const path of paths) {
      if (statSync(path).size <= FULL_CHECK_BYTES) continue;
      const finding = await this.#check(path);
      if (this.#isStopped) return;
      onResult(path, finding);
    }
    this.#dueAt = elapsed + CHECK_EVERY;
  }

  /** Ends the check in progress, and makes no other. */
  stop(): void {
    this.#isStopped = true;
    this.#child?.kill('SIGKILL');
  }

  async #check(path: string): Promise<string | undefined> {
    if (this.#isStopped) return undefined;
    const child = Bun.spawn([...PROGRAM, 'store', 'check', '--json', path], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    this.#child = child;
    const [output, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (this.#isStopped) return undefined;
    if (output === '') throw new Error(`${basename(path)} cannot be checked: ${errors.trim()}`);
    const [result]: CheckedFile[] = JSON.parse(output);
    return result?.damage ?? undefined;
  }
}

/** What `store check` prints of each file. */
export interface CheckedFile {
  readonly file: string;
  /** The first damage that was found. */
  readonly damage: string | null;
}
