import type { Environment } from '../../core/environments.ts';
import type { PetQuery } from '../../core/pets/pet-store.ts';
import type { Pet, PetStatus } from '../../core/pets/pets.ts';
import { bucketOf, lastIdOf } from '../pets/buckets.ts';
import { select } from '../schema/selection.ts';
import type { Queries } from './queries.ts';

/** The most ids that are counted for a page, which takes well under a millisecond. */
const COUNTED_AT_ONCE = 4_096;

/** How many ids are taken, by pets and by deleted ones, and by pets of a page. */
const COUNT = `SELECT count(*) AS taken,
    count(*) FILTER (WHERE $5::text IS NULL OR status = $5::text) AS listed,
    (SELECT count(*) FROM deleted_pets
     WHERE environment = $1 AND bucket = $2 AND id > $3 AND id <= $4) AS deleted
  FROM pets WHERE environment = $1 AND bucket = $2 AND id > $3 AND id <= $4`;

// How far ids were taken when the environment was filled from a data folder.
const FILLED = select('taken_ids', ['id'], 'WHERE environment = ?');

/** Records that all ids up to this one are taken, because nobody else uses the database yet. */
export async function recordTakenIds(
  queries: Queries,
  environment: Environment,
  highest: bigint,
): Promise<void> {
  await queries.run(
    `INSERT INTO taken_ids (environment, id) VALUES ($1, $2)
     ON CONFLICT (environment) DO UPDATE SET id = excluded.id`,
    environment,
    highest,
  );
}

/** Must be called before ids begin anew. */
export async function forgetTakenIds(queries: Queries, environment: Environment): Promise<void> {
  await queries.run('DELETE FROM taken_ids WHERE environment = $1', environment);
}

/** A part of a page: its pets with an id after `from`, up to `end`. */
interface Part {
  readonly from: number;
  readonly end: number;
  readonly status: PetStatus | undefined;
  readonly pets: number;
}

interface Knowledge {
  /** All ids up to this one are taken. */
  readonly known: number;
  /** How often the environment may have been reset before. */
  readonly resets: number;
}

/**
 * Which ids of an environment are taken: by a pet, or by one that was deleted. Any other id may belong to a pet that is
 * not committed yet, and a page across it may change without any change of a pet.
 */
export class TakenIds {
  readonly #statements: Queries;
  readonly #environment: Environment;
  /** All ids up to this one are taken, and stay so until the environment is reset. */
  #known = 0;
  #hasReadRecord = false;
  #resets = 0;

  constructor(statements: Queries, environment: Environment) {
    this.#statements = statements;
    this.#environment = environment;
  }

  /** What is known before a page is read. */
  get knowledge(): Knowledge {
    return { known: this.#known, resets: this.#resets };
  }

  /** Must be called when the environment may have been reset. */
  forget(): void {
    this.#resets += 1;
    this.#known = 0;
    this.#hasReadRecord = false;
  }

  /**
   * Whether no pet can be added before the end of a page any more.
   * @param before `knowledge` before the page was read: pets with ids above `known` may be missing from the page.
   */
  async areTakenIn(
    pets: readonly Pet[],
    { status, after }: PetQuery,
    before: Knowledge,
  ): Promise<boolean> {
    const first = Math.max(after, 0);
    const end = pets.at(-1)?.id ?? first;
    if (end <= before.known) return true;
    if (status === undefined && pets.length === end - first) {
      this.#learn(first, end, before.resets);
      return true;
    }
    // Later pages are not cached, so their gaps are not looked at.
    if (status === undefined && first > 0) return false;
    const known = Math.max(before.known, await this.#recorded());
    if (end <= known) return true;
    const from = Math.max(first, known);
    const rest = pets.filter(({ id }) => id > from).length;
    return this.#count({ from, end, status, pets: rest }, before.resets);
  }

  /** Counts what is in a part of a page. If it has too many ids, the next call continues after those counted here. */
  async #count({ from, end, status, pets }: Part, resets: number): Promise<boolean> {
    const bucket = bucketOf(from + 1);
    const through = Math.min(end, from + COUNTED_AT_ONCE, lastIdOf(bucket));
    const row = await this.#statements.get<{ taken: bigint; listed: bigint; deleted: bigint }>(
      COUNT,
      ...[this.#environment, bucket, from, through, status ?? null],
    );
    if (!row || Number(row.taken + row.deleted) !== through - from) return false;
    this.#learn(from, through, resets);
    // Another pet with this status may have been added after the page was read.
    return through === end && Number(row.listed) === pets;
  }

  #learn(first: number, last: number, resets: number): void {
    if (first <= this.#known && resets === this.#resets) this.#known = Math.max(this.#known, last);
  }

  async #recorded(): Promise<number> {
    if (this.#hasReadRecord) return this.#known;
    const resets = this.#resets;
    const [row] = await this.#statements.rows(FILLED, this.#environment);
    const known = row?.id ?? 0;
    this.#learn(0, known, resets);
    this.#hasReadRecord = resets === this.#resets;
    return known;
  }
}
