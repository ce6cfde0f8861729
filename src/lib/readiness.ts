import type { Awaitable } from './awaitable.ts';
import { SECOND } from './clock.ts';
import { withTimeout } from './timeout.ts';

/** How long a check may take, in ms. */
const CHECK_TIMEOUT = SECOND;

/**
 * Returns a problem, in a sentence for operators, because of which the process should receive no
 * requests; `undefined` when there is none. An error that it throws is a problem, too.
 */
type ReadinessCheck = () => Awaitable<string | undefined>;

/** Whether the process should receive requests: each part adds a check of its own. */
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

  /** Adds a check that operators see in the dashboard; the process is ready whatever it finds. */
  addOptional(name: string, check: ReadinessCheck): void {
    this.#optional.set(name, check);
  }

  /** Adds a note for operators about a process that is ready all the same; it runs for every `/readyz`. */
  addNote(note: ReadinessCheck): void {
    this.#notes.push(note);
  }

  /** What operators should know, in sentences. Never rejects. */
  async notes(): Promise<string[]> {
    const notes = await Promise.all(this.#notes.map((note) => problemOf(note, '')));
    return notes.filter((note) => note !== undefined);
  }

  /** The outcome of every check, by name, in the order in which they were added. Never rejects. */
  check(): Promise<Map<string, string | undefined>> {
    return outcomesOf([...this.#checks]);
  }

  /** As `check`, with those checks that do not decide whether the process is ready at the end. */
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

/** @param prefix of the message of an error. */
async function problemOf(check: ReadinessCheck, prefix: string): Promise<string | undefined> {
  try {
    return await withTimeout(CHECK_TIMEOUT, check);
  } catch (error) {
    return prefix + (error instanceof Error ? error.message : String(error));
  }
}
