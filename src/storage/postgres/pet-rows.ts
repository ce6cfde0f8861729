import type { Environment } from '../../core/environments.ts';
import type { Pet } from '../../core/pets/pets.ts';
import { toInt64 } from '../../lib/int64.ts';
import { bucketOf } from '../pets/buckets.ts';
import { type Selection, select } from '../schema/selection.ts';
import { integers, type Queries } from './queries.ts';

/** Selects pets. @param conditions the SQL after `WHERE`; the environment comes first. */
export function selectPets(conditions: string) {
  const columns = ['id', 'name', 'category_id', 'status'] as const;
  return select('pets', columns, `WHERE ${conditions}`);
}

export type PetRow = ReturnType<typeof selectPets> extends Selection<infer Row> ? Row : never;

/** One pet, by environment, bucket and id. */
export const ONE_PET = selectPets('bucket = ? AND id = ?');

const BY_IDS = selectPets('bucket = ANY(?::bigint[]) AND id = ANY(?::bigint[])');

export function petFromRow({ id, name, category_id, status }: PetRow): Pet {
  return { id, name, categoryId: toInt64(BigInt(category_id)), status };
}

export async function petsById(
  queries: Queries,
  environment: Environment,
  ids: readonly number[],
): Promise<Map<number, Pet>> {
  if (ids.length === 0) return new Map();
  const buckets = [...new Set(ids.map(bucketOf))];
  const rows = await queries.rows(BY_IDS, environment, integers(buckets), integers(ids));
  return new Map(rows.map((row) => [row.id, petFromRow(row)]));
}
