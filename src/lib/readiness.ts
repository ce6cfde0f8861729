import type { Awaitable } from './awaitable.ts';
import { SECOND } from './clock.ts';
import { withTimeout } from './timeout.ts';

/** How long a check may take, in ms. */
const CHECK_TIMEOUT = SECOND;

/**
 * Returns the reason why the process should receive no requests, as a sentence for operators; `undefined` if
 * there is none. A thrown error counts as a reason, too.
 */
type ReadinessCheck = () => Awaitable<string | undefined>;

/** Whether the process should receive requests. Each part adds its own check. */
export class Readiness {
  readonly #checks = new Map<string, ReadinessCheck>();
  readonly #optional = new Map<string, ReadinessCheck>();
  readonly #notes: ReadinessCheck[] = [];

  /**
   * Adds a check, which runs for every `/readyz` and every scrape of the metrics.
   * @param name labels the metric.
   */
  add(name: string, check: ReadinessCheck): void {
    this.#checks.set(name, check);
  }

  /** Adds a check that the dashboard shows to operators; it does not affect readiness. */
  addOptional(name: string, check: ReadinessCheck): void {
    this.#optional.set(name, check);
  }

  /** Adds a note for operators that does not affect readiness; it runs for every `/readyz`. */
  addNote(note: ReadinessCheck): void {
    this.#notes.push(note);
  }

  /** The current notes for operators, as sentences. Never rejects. */
  async notes(): Promise<string[]> {
    const notes = await Promise.all(this.#notes.map((note) => problemOf(note, '')));
    return notes.filter((note) => note !== undefined);
  }

  /** The outcome of every check, by name, in the order in which they were added. Never rejects. */
  check(): Promise<Map<string, string | undefined>> {
    return outcomesOf([...this.#checks]);
  }

  /** Like `check`, followed by the checks that do not affect readiness. */
  checkAll(): Promise<Map<string, string | undefined>> {
    return outcomesOf([...this.#checks, ...this.#optional]);
  }
}

async function outcomesOf(checks: ReadonlyArray<readonly [string, ReadinessCheck]>) {
  const outcomes = checks.map(
    async ([name, check]) => [name, await problemOf(check, `${name}: `)] as const,
  );
  return new Map(await Promise.all(outcomes));
}

/** @param prefix for the message of a thrown error. */
async function problemOf(check: ReadinessCheck, prefix: string): Promise<string | undefined> {
  try {
    return await withTimeout(CHECK_TIMEOUT, check);
  } catch (error) {
    return prefix + (error instanceof Error ? error.message : String(error));
  }
}
