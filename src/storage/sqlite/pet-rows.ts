import type { Pet } from '../../core/pets.ts';
import type { SqliteSelection } from './query.ts';

/**
 * Selects pets as the rest of the service has them. What a double holds exactly comes as a number,
 * which is read, and written as JSON, in half the time of a bigint.
 * @param rest what follows the table's name.
 */
export function selectPets(rest: string): SqliteSelection<Pet> {
  return {
    sqlite: `SELECT CAST(pets.id AS REAL) AS id, name,
      CASE WHEN category_id BETWEEN -9007199254740991 AND 9007199254740991
        THEN CAST(category_id AS REAL) ELSE category_id END AS categoryId, status FROM pets ${rest}`,
  };
}
