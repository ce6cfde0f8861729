import type { StoredPet } from '../../core/pets/pet-changes.ts';
import type { NewestPets } from '../../core/pets/pet-store.ts';
import type { PetStatus } from '../../core/pets/pets.ts';
import { toInt64 } from '../../lib/int64.ts';
import type { EnvironmentEngine } from '../access.ts';
import { accountIdFrom } from '../account-ids.ts';
import { forPostgres, type Selection } from '../schema/selection.ts';
import { bucketOf, lastIdOf } from './buckets.ts';

/** The columns of a pet except its id. */
export interface StoredPetRow {
  readonly name: string;
  readonly category_id: bigint | number;
  readonly status: PetStatus;
  readonly owner: Uint8Array | null;
  readonly open_order: bigint | number | null;
}

export const STORED_PET_COLUMNS = 'name, category_id, status, owner, open_order';

/** A pet from its row. @param formerAccount an account that no longer exists, so that its pets belong to nobody. */
export function storedPetFrom(id: number, row: StoredPetRow, formerAccount?: string): StoredPet {
  const { name, category_id, status } = row;
  const owner = row.owner === null ? undefined : accountIdFrom(row.owner);
  return {
    pet: { id, name, categoryId: toInt64(BigInt(category_id)), status },
    owner: owner === formerAccount ? undefined : owner,
    openOrder: row.open_order === null ? undefined : Number(row.open_order),
  };
}

interface NumberedRow extends StoredPetRow {
  readonly id: bigint | number;
}

function numberedPetFrom(row: NumberedRow): StoredPet {
  return storedPetFrom(Number(row.id), row);
}

/** @param bucket a condition on the bucket, which only PostgreSQL stores. */
function selectStored(conditions: string, bucket = ''): Selection<NumberedRow> {
  const selected = `SELECT id, ${STORED_PET_COLUMNS} FROM pets WHERE`;
  return {
    sqlite: `${selected} ${conditions}`,
    postgres: forPostgres('pets', `${selected} ${bucket} ${conditions}`),
  };
}

const ONE = selectStored('id = ?', 'bucket = ? AND');

/** @param bucket as for `selectStored`. */
function selectNewest(bucket?: string) {
  const rest = 'id < ? ORDER BY id DESC LIMIT ?';
  return {
    all: selectStored(rest, bucket),
    byStatus: selectStored(`status = ? AND ${rest}`, bucket),
  };
}

const NEWEST = selectNewest();
const NEWEST_IN_BUCKET = selectNewest('bucket = ? AND');

/** Reads pets of a file, which has no buckets. */
export const fileStoredPets = {
  find(file: File, id: number): StoredPet | undefined {
    if (!Number.isSafeInteger(id)) return undefined;
    return file.all(ONE, id).map(numberedPetFrom)[0];
  },

  newest(file: File, { limit, status, before = Number.MAX_SAFE_INTEGER }: NewestPets): StoredPet[] {
    const rows =
      status === undefined
        ? file.all(NEWEST.all, before, limit)
        : file.all(NEWEST.byStatus, status, before, limit);
    return rows.map(numberedPetFrom);
  },
};

interface File {
  all<Row>(selection: Selection<Row>, ...values: Array<string | number>): Row[];
}

/** Reads pets of PostgreSQL: usually from one bucket, and so from one node of a sharded database. */
export class BucketedStoredPets {
  readonly #engine: Pick<EnvironmentEngine, 'rows'>;
  readonly #highestId: () => Promise<number>;

  /** @param highestId the highest assigned id; its pet may not be committed yet. */
  constructor(engine: Pick<EnvironmentEngine, 'rows'>, highestId: () => Promise<number>) {
    this.#engine = engine;
    this.#highestId = highestId;
  }

  async find(id: number): Promise<StoredPet | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    return (await this.#engine.rows(ONE, bucketOf(id), id)).map(numberedPetFrom)[0];
  }

  async newest({ limit, status, before = Number.MAX_SAFE_INTEGER }: NewestPets) {
    const last = Math.min(before - 1, await this.#highestId());
    const bucket = bucketOf(last);
    const rows = await this.#readBelow(last + 1, limit, status, bucket);
    const earlier = lastIdOf(bucket - 1) + 1;
    if (rows.length < limit && earlier > 1) {
      rows.push(...(await this.#readBelow(earlier, limit - rows.length, status)));
    }
    return rows.map(numberedPetFrom);
  }

  /** @param bucket by default all. */
  async #readBelow(before: number, limit: number, status?: PetStatus, bucket?: number) {
    const { all, byStatus } = bucket === undefined ? NEWEST : NEWEST_IN_BUCKET;
    const first = bucket === undefined ? [] : [bucket];
    return status === undefined
      ? this.#engine.rows(all, ...first, before, limit)
      : this.#engine.rows(byStatus, ...first, status, before, limit);
  }
}
