import { ApiError, messageOf, StorageUnavailable } from '../core/errors.ts';
import { type Clock, SECOND } from '../lib/clock.ts';

/** How long all writes of a kind must have failed before the process is not ready, in ms, and at least how many. */
const FAILING_AFTER = 10 * SECOND;
const FAILING_AFTER_TRIES = 3;

/**
 * How long after the last failure the process is ready again, in ms: without requests there are no further writes that
 * could succeed. If the next one fails, it is not ready immediately.
 */
const TRY_AGAIN_AFTER = 30 * SECOND;

/** Kinds whose failure is a warning only, because no reply depends on them. */
const OPTIONAL: ReadonlySet<string> = new Set([
  'saves of the request log',
  'deliveries of messages',
]);

/** A table that a statement inserts into. */
const INSERT = /^insert into "?(\w+)"?/i;

/** SQLite's codes, and PostgreSQL's class 23, for rows that break a rule of their table: the fault of the caller. */
const BROKEN_RULE = /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|FOREIGNKEY|CHECK|NOTNULL)/;
const BROKEN_RULE_STATE = /^23/;

/** Records the outcome of a write of one kind, and returns the write. */
export type WatchWrite = <T>(write: Promise<T>) => Promise<T>;

/** Records nothing. */
export const unwatched: WatchWrite = (write) => write;

interface Failing {
  /** When the first write failed since the last success, in ms, from its beginning. */
  readonly since: number;
  tries: number;
  lastAt: number;
  reason: string;
  /** Whether the process was not ready because of this. */
  hasTripped: boolean;
}

/**
 * Whether the writes of each kind (such as creations) succeed, on either engine. A lock on a table, or a right that was
 * revoked, makes all writes of one kind fail while others succeed.
 */
export class WriteKinds {
  readonly #clock: Clock;
  readonly #areOptional: boolean;
  readonly #failing = new Map<string, Failing>();
  readonly #seen = new Set<string>();

  /**
   * @param areOptional whether failing writes of any kind are a warning only, because the process can still serve the
   * data of other nodes.
   */
  constructor(clock: Clock, areOptional = false) {
    this.#clock = clock;
    this.#areOptional = areOptional;
  }

  /**
   * Records the outcome of a write, and returns the write.
   * @param kind in the plural, as the subject of a sentence.
   */
  watch<T>(kind: string, write: Promise<T>): Promise<T> {
    const begunAt = this.#now();
    this.#seen.add(kind);
    write.then(
      () => this.#failing.delete(kind),
      (error) => this.#failed(kind, begunAt, error),
    );
    return write;
  }

  /** `watch` for one kind. */
  watcher(kind: string): WatchWrite {
    return (write) => this.watch(kind, write);
  }

  /** Like `watch`, for a statement; only those that insert rows are counted, by their table. */
  watchStatement<T>(sql: string, write: Promise<T>): Promise<T> {
    const table = INSERT.exec(sql)?.[1];
    return table === undefined ? write : this.watch(`inserts into ${table}`, write);
  }

  /** The kinds of which all writes fail, as sentences for operators; `undefined` if there is none. */
  problem(): string | undefined {
    return this.#areOptional ? undefined : this.#describe((kind) => !OPTIONAL.has(kind));
  }

  /** Like `problem`, for the kinds without which the process can serve requests. */
  warning(): string | undefined {
    return this.#describe((kind) => this.#areOptional || OPTIONAL.has(kind));
  }

  /** Every kind that was written, and whether all of its writes fail. */
  all(): Array<readonly [kind: string, isFailing: boolean]> {
    return Array.from(this.#seen, (kind) => [kind, this.#isFailing(this.#failing.get(kind))]);
  }

  #describe(isMeant: (kind: string) => boolean): string | undefined {
    const now = this.#now();
    const sentences = Array.from(this.#failing)
      .filter(([kind, failing]) => isMeant(kind) && this.#isFailing(failing))
      .map(
        ([kind, { since, tries, lastAt, reason }]) =>
          `all ${kind} have failed for ${seconds(now - since)} s (${tries} tries, the last ${seconds(now - lastAt)} s ago): ${reason}`,
      );
    return sentences.length === 0 ? undefined : sentences.join('\n');
  }

  #isFailing(failing: Failing | undefined): boolean {
    if (!failing) return false;
    const now = this.#now();
    if (now - failing.lastAt > TRY_AGAIN_AFTER) return false;
    const isLong = failing.tries >= FAILING_AFTER_TRIES && now - failing.since >= FAILING_AFTER;
    failing.hasTripped ||= isLong;
    return failing.hasTripped;
  }

  #failed(kind: string, begunAt: number, error: unknown): void {
    if (isFaultOfCaller(error)) return;
    const former = this.#failing.get(kind) ?? { since: begunAt, tries: 0, hasTripped: false };
    const cause = error instanceof ApiError ? error.cause : error;
    const failing = {
      ...former,
      tries: former.tries + 1,
      lastAt: this.#now(),
      reason: messageOf(cause),
    };
    this.#failing.set(kind, failing);
    this.#isFailing(failing);
  }

  #now(): number {
    return this.#clock.now().elapsed;
  }
}

function isFaultOfCaller(error: unknown): boolean {
  if (error instanceof ApiError) return !(error instanceof StorageUnavailable);
  if (!(error instanceof Error)) return false;
  // The code of PostgreSQL's driver; the writer thread of SQLite sends the code in the message.
  const state = 'errno' in error ? String(error.errno) : '';
  return BROKEN_RULE_STATE.test(state) || BROKEN_RULE.test(error.message);
}

function seconds(milliseconds: number): string {
  return (milliseconds / SECOND).toFixed(1);
}
