import { NAME_MAX_LENGTH, PET_STATUSES } from '../../core/pets/pets.ts';
import { textField } from '../../http/body/text-field.ts';

/*
 * JSON Schemas (2020-12) of the contract. TypeBox derives static types and validators from them;
 * `api/openapi/schemas.ts` publishes them.
 *
 * `bigint` stands for any 64-bit integer: exact inside the service, and on the wire a JSON integer
 * of format int64.
 */

export const PetStatus = {
  enum: PET_STATUSES,
  type: 'string',
  description: 'Availability of an animal.',
  example: 'available',
} as const;

const name = { ...textField("The animal's name", NAME_MAX_LENGTH), example: 'Biscuit' } as const;

const categoryId = {
  type: 'bigint',
  description:
    'Id of the category the animal belongs to. Any int64, exact to the last digit. JavaScript’s `JSON.parse` ' +
    'rounds integers beyond 2^53.',
  example: 7,
} as const;

export const NewPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name, categoryId, status: PetStatus },
  description: 'An animal to add. Without `status` it is `available`. Other fields are ignored.',
  example: { name: 'Biscuit', categoryId: 7, status: 'available' },
} as const;

export const Pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId', 'status'],
  properties: {
    id: {
      type: 'integer',
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Unique identifier assigned by the service on creation; ascending.',
      example: 1,
    },
    name,
    categoryId,
    status: PetStatus,
  },
  description: 'An animal.',
  example: { id: 1, name: 'Biscuit', categoryId: 7, status: 'available' },
} as const;

export const PetPatch = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: { name, categoryId, status: PetStatus },
  description:
    'The fields to change, at least one (JSON Merge Patch, RFC 7396). The others stay as they are. No field can be ' +
    'removed, so `null` is refused, as are other fields.',
  example: { status: 'pending' },
} as const;

export const Pets = {
  type: 'array',
  items: Pet,
  description: 'Animals in ascending id.',
} as const;

/** By the names that the OpenAPI document gives them. */
export const PET_SCHEMAS = { NewPet, Pet, PetPatch, Pets, PetStatus } as const;
