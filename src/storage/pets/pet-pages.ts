import type { PetPage, PetQuery } from '../../core/pets/pet-store.ts';
import type { Pet, PetStatus } from '../../core/pets/pets.ts';
import { toInt64 } from '../../lib/int64.ts';
import type { EnvironmentEngine } from '../access.ts';
import { forPostgres, type Selection } from '../schema/selection.ts';
import { bucketOf, lastIdOf } from './buckets.ts';

/**
 * Selects pets. SQLite returns integers that a double represents exactly as numbers, which takes half the time of a
 * bigint for reading and for writing as JSON; rows of PostgreSQL need `petFromRow`.
 * @param conditions SQL that both engines understand.
 * @param bucket a condition on the bucket, which only PostgreSQL stores.
 */
export function selectPets(conditions: string, bucket?: string): Selection<Pet> {
  return {
    sqlite: `SELECT CAST(pets.id AS REAL) AS id, name,
      CASE WHEN category_id BETWEEN -9007199254740991 AND 9007199254740991
        THEN CAST(category_id AS REAL) ELSE category_id END AS categoryId, status
      FROM pets WHERE ${conditions}`,
    postgres: forPostgres(
      'pets',
      `SELECT id::float8 AS id, name, category_id AS "categoryId", status
       FROM pets WHERE ${bucket === undefined ? '' : `${bucket} AND`} ${conditions}`,
    ),
  };
}

/** One pet by its id; in PostgreSQL, by its bucket and its id. */
export const ONE_PET = selectPets('pets.id = ?', 'bucket = ?');

/** A pet from a row of PostgreSQL. */
export function petFromRow({ id, name, categoryId, status }: Pet): Pet {
  return { id, name, categoryId: toInt64(BigInt(categoryId)), status };
}

/** The buckets that a statement reads: one, some, or all from one on. */
const BUCKETS = { one: 'bucket = ?', some: 'bucket = ANY(?::bigint[])', from: 'bucket >= ?' };
type Scope = keyof typeof BUCKETS;

/** The next pets of a page, after an id; in PostgreSQL, up to the last id of the buckets. */
const PAGES = { one: pagesIn('one'), some: pagesIn('some'), from: pagesIn('from') };

function pagesIn(scope: Scope) {
  const inOrder = 'pets.id > ? ORDER BY pets.id LIMIT ?';
  // A file needs no upper bound, which took 6 to 10 % more CPU time for a page.
  const inBuckets = `${BUCKETS[scope]} AND pets.id <= ?`;
  return {
    all: selectPets(inOrder, inBuckets),
    byStatus: selectPets(`status = ? AND ${inOrder}`, inBuckets),
  };
}

/** Reads a page of a file, which has no buckets. */
export function readFilePage(
  file: { all<Row>(selection: Selection<Row>, ...values: Array<string | number>): Row[] },
  { limit, status, after }: PetQuery,
): PetPage {
  const { all, byStatus } = PAGES.one;
  const pets =
    status === undefined
      ? file.all(all, after, limit + 1)
      : file.all(byStatus, status, after, limit + 1);
  const page = pageOf(pets, limit);
  // Ids are assigned in ascending order under the write lock, so later pets follow this page.
  return { ...page, isCacheable: page.more };
}

/** A page from one more pet than requested, which shows whether this is the last page. */
export function pageOf(pets: Pet[], limit: number): Omit<PetPage, 'isCacheable'> {
  const next = pets.length > limit ? pets.pop()?.id : undefined;
  return { pets, more: next !== undefined, next };
}

/** The number of buckets that are read in one statement, after two that were read one by one. */
const AT_ONCE = 16;

/** The buckets to read in one statement, and the last id in them. */
interface Reach {
  readonly scope: Scope;
  /** With `from`, only the first one. */
  readonly buckets: readonly number[];
  readonly lastId: number;
}

/**
 * Reads pages of PostgreSQL. Usually the bucket of the first id contains the whole page. Otherwise reading continues in the next
 * bucket, then in 16 buckets in one statement, then in all others. So a page costs at most four statements, and the
 * last one reads at most one page from each shard of a sharded database.
 */
export class BucketedPages {
  readonly #engine: Pick<EnvironmentEngine, 'rows'>;
  readonly #highestId: () => Promise<number>;

  /** @param highestId the highest assigned id; its pet may not be committed yet. */
  constructor(engine: Pick<EnvironmentEngine, 'rows'>, highestId: () => Promise<number>) {
    this.#engine = engine;
    this.#highestId = highestId;
  }

  /** The first pets after an id, at most `limit`. */
  async read({ limit, status, after }: PetQuery): Promise<Pet[]> {
    const from = Math.max(after, 0);
    const first = bucketOf(from + 1);
    const rows = await this.#readIn(only(first), from, limit, status);
    if (rows.length === limit) return rows.map(petFromRow);
    // Read after the bucket: ids that are assigned from now on belong to pets that are added later.
    const last = bucketOf(await this.#highestId());
    for (const reach of reachesBetween(first + 1, last)) {
      rows.push(...(await this.#readIn(reach, from, limit - rows.length, status)));
      if (rows.length === limit) break;
    }
    return rows.map(petFromRow);
  }

  async #readIn(
    { scope, buckets, lastId }: Reach,
    after: number,
    limit: number,
    status: PetStatus | undefined,
  ): Promise<Pet[]> {
    const { all, byStatus } = PAGES[scope];
    const [first = 0] = buckets;
    const bucket = scope === 'some' ? `{${buckets.join(',')}}` : first;
    return status === undefined
      ? this.#engine.rows(all, bucket, lastId, after, limit)
      : this.#engine.rows(byStatus, bucket, lastId, status, after, limit);
  }
}

function only(bucket: number): Reach {
  return { scope: 'one', buckets: [bucket], lastId: lastIdOf(bucket) };
}

/** The buckets to read in each successive statement, from the first bucket to the last. */
function reachesBetween(first: number, last: number): Reach[] {
  if (first > last) return [];
  const reaches: Reach[] = [only(first)];
  const some = Array.from({ length: AT_ONCE }, (_, index) => first + 1 + index);
  const within = some.filter((bucket) => bucket <= last);
  const end = within.at(-1);
  if (end === undefined) return reaches;
  reaches.push({ scope: 'some', buckets: within, lastId: lastIdOf(end) });
  if (end < last) {
    reaches.push({ scope: 'from', buckets: [end + 1], lastId: Number.MAX_SAFE_INTEGER });
  }
  return reaches;
}
