import { DEFAULT_STATUS, type NewPet } from '../../core/pets.ts';
import { bodyParser } from '../../http/body-validator.ts';
import { toInt64 } from '../../lib/int64.ts';
import { PET_OPERATIONS } from './operations.ts';

const { createPet } = PET_OPERATIONS;
const parse = bodyParser(createPet.body, createPet.expectations);

/**
 * Checks a parsed body against the NewPet schema.
 * @throws ApiError `invalid_body`, naming the field
 */
export function parseNewPet(body: unknown): NewPet {
  const { name, categoryId, status = DEFAULT_STATUS } = parse(body);
  return { name, categoryId: toInt64(categoryId), status };
}
