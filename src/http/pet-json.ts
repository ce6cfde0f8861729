import { NEW_PET_EXPECTATIONS, NewPet as NewPetSchema } from '../contract/schemas.ts';
import { ApiError } from '../core/errors.ts';
import { toInt64 } from '../core/int64.ts';
import { DEFAULT_STATUS, type NewPet, type Pet } from '../core/pets.ts';

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

// Loaded and compiled at the first creation: that takes longer than starting all the rest.
const newPetValidator = once(async () => {
  const { Compile } = await import('typebox/schema');
  return Compile(NewPetSchema);
});

/**
 * Checks a parsed body against the NewPet schema.
 * @throws ApiError `invalid_body`, naming the field
 */
export async function parseNewPet(body: unknown): Promise<NewPet> {
  const validator = await newPetValidator();
  if (validator.Check(body)) {
    const { name, categoryId, status = DEFAULT_STATUS } = body;
    if (!name.isWellFormed()) throw invalidField('name', 'must be');
    return { name, categoryId: toInt64(categoryId), status };
  }
  const [, [error]] = validator.Errors(body);
  if (error?.instancePath === '' && error.keyword === 'type') {
    throw new ApiError('invalid_body', 'The body must be a JSON object.');
  }
  const missing = error?.keyword === 'required' ? error.params.requiredProperties[0] : undefined;
  const field = missing ?? error?.instancePath.slice(1) ?? '';
  throw invalidField(field, missing ? 'is required: send' : 'must be');
}

function invalidField(field: string, verb: string): ApiError {
  return new ApiError('invalid_body', `"${field}" ${verb} ${NEW_PET_EXPECTATIONS[field]}.`);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
