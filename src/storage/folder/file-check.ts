import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { entryPoint } from '../../lib/bundled.ts';
import { HOUR, type Instant, MINUTE } from '../../lib/clock.ts';
import { FULL_CHECK_BYTES } from '../sqlite/database.ts';

/** How often files are checked, in ms. */
const CHECK_EVERY = HOUR;
/** When a failed check is retried, and how often damaged files are checked, in ms. */
const RETRY_AFTER = MINUTE;

/** The command line of this program. */
const PROGRAM = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, Bun.fileURLToPath(entryPoint('../../main.ts', import.meta.url))];

/**
 * Checks complete files: soon after the start those that are too large to be checked during it, all files every
 * hour, and damaged files every minute, so that a repair is noticed. The check runs in a separate process with the
 * lowest priority (`store check`), so that it does not compete with requests for a thread or for SQLite's locks, and
 * a stop does not have to wait for it.
 */
export class FileCheck {
  #child: Bun.Subprocess | undefined;
  #isStopped = false;
  /** Whether this is the first check, when the start has just checked the small files. */
  #isFirst = true;
  /** Elapsed time, in ms. */
  #dueAt = 0;
  #damagedDueAt = 0;

  /**
   * Checks the files that are due.
   * @param damaged the paths that are known to be damaged.
   * @param onResult receives the first damage of each file that was checked, or `undefined`.
   * @throws Error when a check cannot run.
   */
  async run(
    paths: readonly string[],
    damaged: ReadonlyMap<string, unknown>,
    { elapsed }: Instant,
    onResult: (path: string, finding: string | undefined) => void,
  ): Promise<void> {
    const areAllDue = elapsed >= this.#dueAt;
    const areDamagedDue = elapsed >= this.#damagedDueAt;
    if (areAllDue) this.#dueAt = elapsed + RETRY_AFTER;
    if (areDamagedDue) this.#damagedDueAt = elapsed + RETRY_AFTER;
    for (const path of paths) {
      const isDue = damaged.has(path) ? areDamagedDue : areAllDue && !this.#isSound(path);
      if (!isDue) continue;
      // The damage that a request found may be outside of the tables.
      const finding = await this.#check(path, damaged.has(path) ? ['--whole'] : []);
      if (this.#isStopped) return;
      onResult(path, finding);
    }
    if (!areAllDue) return;
    this.#dueAt = elapsed + CHECK_EVERY;
    this.#isFirst = false;
  }

  /** Whether the start has checked the file. */
  #isSound(path: string): boolean {
    return this.#isFirst && statSync(path).size <= FULL_CHECK_BYTES;
  }

  /** Ends the check in progress and starts no further checks. */
  stop(): void {
    this.#isStopped = true;
    this.#child?.kill('SIGKILL');
  }

  async #check(path: string, options: readonly string[]): Promise<string | undefined> {
    if (this.#isStopped) return undefined;
    const child = Bun.spawn([...PROGRAM, 'store', 'check', '--json', ...options, path], {
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

/** The output of `store check` for each file. */
export interface CheckedFile {
  readonly file: string;
  /** The first damage found. */
  readonly damage: string | null;
}
