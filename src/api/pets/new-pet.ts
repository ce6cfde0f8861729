import { DEFAULT_STATUS, type NewPet } from '../../core/pets.ts';
import { bodyParser } from '../../http/body-validator.ts';
import { toInt64 } from '../../lib/int64.ts';
import { NEW_PET_EXPECTATIONS, NewPet as NewPetSchema } from './schemas.ts';

const parse = bodyParser(NewPetSchema, NEW_PET_EXPECTATIONS);

/**
 * Checks a parsed body against the NewPet schema.
 * @throws ApiError `invalid_body`, naming the field
 */
export function parseNewPet(body: unknown): NewPet {
  const { name, categoryId, status = DEFAULT_STATUS } = parse(body);
  return { name, categoryId: toInt64(categoryId), status };
}
