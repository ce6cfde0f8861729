import Type from 'typebox';
import { ERRORS, type ErrorCode } from '../core/errors.ts';
import { NAME_MAX_LENGTH, PET_STATUSES } from '../core/pets.ts';

/**
 * Any 64-bit integer. Inside the service it is a bigint, exact to the last digit; on the wire it is
 * a JSON integer of format int64, as `publish` writes it into the OpenAPI document.
 */
export const Int64 = Type.BigInt();

/** Not blank, no control characters, no lone surrogates; each a class of code points. */
const NAME_PATTERN = '^(?!\\s*$)[^\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]*$';

export const PetStatus = Type.Enum([...PET_STATUSES], {
  type: 'string',
  description: 'Availability of an animal.',
  example: 'available',
});

const name = Type.String({
  minLength: 1,
  maxLength: NAME_MAX_LENGTH,
  pattern: NAME_PATTERN,
  description: `The animal's name: 1 to ${NAME_MAX_LENGTH} characters (Unicode code points), not blank, without control characters. Kept as sent.`,
  example: 'Biscuit',
});

const categoryId = Type.BigInt({
  description: 'Id of the category the animal belongs to. Any int64, exact to the last digit.',
  example: 7,
});

const status = Type.Ref('PetStatus');

export const NewPet = Type.Object(
  { name, categoryId, status: Type.Optional(status) },
  {
    description: 'An animal to add. Without `status` it is `available`. Other fields are ignored.',
    example: { name: 'Biscuit', categoryId: 7, status: 'available' },
  },
);

export const Pet = Type.Object(
  {
    id: Type.Integer({
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Unique identifier assigned by the service on creation; ascending.',
      example: 1,
    }),
    name,
    categoryId,
    status,
  },
  {
    description: 'An animal.',
    example: { id: 1, name: 'Biscuit', categoryId: 7, status: 'available' },
  },
);

export const Pets = Type.Array(Type.Ref('Pet'), { description: 'Animals in ascending id.' });

const ERROR_CODES = Object.keys(ERRORS).filter((code): code is ErrorCode =>
  Object.hasOwn(ERRORS, code),
);

export const ErrorBody = Type.Object(
  {
    code: Type.Enum(ERROR_CODES, {
      type: 'string',
      description: `Machine-readable error code.\n\n${ERROR_CODES.map(
        (code) => `- \`${code}\` (${ERRORS[code].status}): ${ERRORS[code].meaning}`,
      ).join('\n')}`,
    }),
    message: Type.String({ description: 'Human-readable description; says what to do next.' }),
    status: Type.Integer({ description: 'The HTTP status code.', minimum: 400, maximum: 599 }),
  },
  {
    additionalProperties: false,
    description: 'What every 4xx and 5xx reply carries.',
    example: { code: 'pet_not_found', message: 'No animal has the id 42.', status: 404 },
  },
);

/** The named schemas of the contract, by the names that the OpenAPI document gives them. */
export const SCHEMAS = { NewPet, Pet, Pets, PetStatus, Error: ErrorBody };
export type SchemaName = keyof typeof SCHEMAS;

/** How a field of NewPet is to be, in the words of an error message. */
export const NEW_PET_EXPECTATIONS: Readonly<Record<string, string>> = {
  name: `a string of 1 to ${NAME_MAX_LENGTH} characters, not blank, without control characters`,
  categoryId: 'an integer from -9223372036854775808 to 9223372036854775807, not in quotes',
  status: `one of ${PET_STATUSES.join(', ')}`,
};
