import { DEFAULT_STATUS, type NewPet, type Pet } from '../../core/pets.ts';
import { bodyParser } from '../../http/body-validator.ts';
import { toInt64 } from '../../lib/int64.ts';
import { NEW_PET_EXPECTATIONS, NewPet as NewPetSchema } from './schemas.ts';

/** An animal as JSON text, its integers exact. */
export function petJson(pet: Pet): string {
  return isPlain(pet) ? JSON.stringify(pet) : writeByHand(pet);
}

/** A page of animals as JSON text, its integers exact. */
export function petsJson(pets: readonly Pet[]): string {
  return pets.every(isPlain) ? JSON.stringify(pets) : `[${pets.map(petJson).join(',')}]`;
}

function isPlain({ categoryId }: Pet): boolean {
  return typeof categoryId === 'number';
}

// JSON.stringify refuses a bigint; written into text it shows every digit.
function writeByHand({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

const parse = bodyParser(NewPetSchema, NEW_PET_EXPECTATIONS);

/**
 * Checks a parsed body against the NewPet schema.
 * @throws ApiError `invalid_body`, naming the field
 */
export async function parseNewPet(body: unknown): Promise<NewPet> {
  const { name, categoryId, status = DEFAULT_STATUS } = await parse(body);
  return { name, categoryId: toInt64(categoryId), status };
}
