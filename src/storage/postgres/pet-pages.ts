import type { Environment } from '../../core/environments.ts';
import type { Pet, PetQuery, PetStatus } from '../../core/pets/pets.ts';
import { bucketOf, lastIdOf } from '../pets/buckets.ts';
import { type PetRow, petFromRow, selectPets } from './pet-rows.ts';
import { integers, type Queries } from './queries.ts';

/** The buckets that a statement reads: one, some, or all from one on. */
const BUCKETS = { one: 'bucket = ?', some: 'bucket = ANY(?::bigint[])', from: 'bucket >= ?' };
type Scope = keyof typeof BUCKETS;

const IN_ORDER = 'AND id > ? AND id <= ? ORDER BY pets.id LIMIT ?';

const PAGES = {
  one: pagesIn('one'),
  some: pagesIn('some'),
  from: pagesIn('from'),
};

function pagesIn(scope: Scope) {
  return {
    all: selectPets(`${BUCKETS[scope]} ${IN_ORDER}`),
    byStatus: selectPets(`${BUCKETS[scope]} AND status = ? ${IN_ORDER}`),
  };
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
 * Reads pages. Usually the bucket of the first id contains the whole page. Otherwise reading continues in the next
 * bucket, then in 16 buckets in one statement, then in all others. So a page costs at most four statements, and the
 * last one reads at most one page from each shard of a sharded database.
 */
export class PetPages {
  readonly #queries: Queries;
  readonly #environment: Environment;

  constructor(queries: Queries, environment: Environment) {
    this.#queries = queries;
    this.#environment = environment;
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
  ): Promise<PetRow[]> {
    const { all, byStatus } = PAGES[scope];
    const [first = 0] = buckets;
    const values = [this.#environment, scope === 'some' ? integers(buckets) : first];
    return status === undefined
      ? this.#queries.rows(all, ...values, after, lastId, limit)
      : this.#queries.rows(byStatus, ...values, status, after, lastId, limit);
  }

  /** The highest assigned id; its pet may not be committed yet. */
  async #highestId(): Promise<number> {
    const row = await this.#queries.get<{ id: number }>(
      `SELECT last_value::float8 AS id FROM ${this.#environment}_pet_ids`,
    );
    return row?.id ?? 0;
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
