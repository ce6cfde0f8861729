import type { XSchema } from 'typebox/schema';
import { ERRORS, type ErrorCode } from '../core/errors.ts';
import { MESSAGE_MAX_LENGTH } from '../core/messages.ts';
import { NAME_MAX_LENGTH, PET_STATUSES } from '../core/pets.ts';

/*
 * The schemas of the contract, as JSON Schema 2020-12. TypeBox makes static types and validators of
 * them; `publish.ts` writes them into the OpenAPI document.
 *
 * Where the type is `bigint`, the value is any 64-bit integer: inside the service it is exact to the
 * last digit, on the wire it is a JSON integer of format int64.
 */

const SPACE = '\\u0020\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF';
const CONTROL = '\\u0000-\\u001F\\u007F-\\u009F';

/** Not blank, no control characters. Without lookahead, which many regular expressions have not. */
const NAME_PATTERN = `^[${SPACE}]*[^${SPACE}${CONTROL}][^${CONTROL}]*$`;

const PetStatus = {
  enum: PET_STATUSES,
  type: 'string',
  description: 'Availability of an animal.',
  example: 'available',
} as const;

const name = {
  type: 'string',
  minLength: 1,
  maxLength: NAME_MAX_LENGTH,
  pattern: NAME_PATTERN,
  description: `The animal's name: 1 to ${NAME_MAX_LENGTH} characters (Unicode code points), not blank, without control characters. Kept as sent.`,
  example: 'Biscuit',
} as const;

const categoryId = {
  type: 'bigint',
  description: 'Id of the category the animal belongs to. Any int64, exact to the last digit.',
  example: 7,
} as const;

export const NewPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name, categoryId, status: PetStatus },
  description: 'An animal to add. Without `status` it is `available`. Other fields are ignored.',
  example: { name: 'Biscuit', categoryId: 7, status: 'available' },
} as const;

const Pet = {
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

const Pets = {
  type: 'array',
  items: Pet,
  description: 'Animals in ascending id.',
} as const;

/** With commas; not by `toLocaleString`, which loads every locale's rules, and starts would wait. */
const MESSAGE_LENGTH = String(MESSAGE_MAX_LENGTH).replace(/\B(?=(?:\d{3})+$)/g, ',');

const message = {
  type: 'string',
  minLength: 1,
  maxLength: MESSAGE_MAX_LENGTH,
  description: `The text: 1 to ${MESSAGE_LENGTH} characters (Unicode code points). Kept as sent.`,
  example: 'Hello, petstore!',
} as const;

export const NewMessage = {
  type: 'object',
  required: ['message'],
  properties: { message },
  description: 'A message to send. Other fields are ignored.',
  example: { message: 'Hello, petstore!' },
} as const;

const Message = {
  type: 'object',
  required: ['id', 'message', 'status', 'createdAt'],
  properties: {
    id: {
      type: 'string',
      pattern: '^msg_[0-9a-f]{32}$',
      description: 'Unique identifier: `msg_` and a UUIDv7 without its dashes.',
      example: 'msg_019a9f2e8c4b7d10a3f5b6c7d8e9f001',
    },
    message,
    status: {
      type: 'string',
      'x-extensible-enum': ['queued', 'delivered'],
      description: '`queued` when it was taken; the dashboard shows when it is `delivered`.',
      example: 'queued',
    },
    createdAt: {
      type: 'string',
      format: 'date-time',
      description: 'When it was taken; ISO 8601, UTC.',
      example: '2026-11-21T09:30:00.000Z',
    },
  },
  description: 'A message on its way to the inbox.',
  example: {
    id: 'msg_019a9f2e8c4b7d10a3f5b6c7d8e9f001',
    message: 'Hello, petstore!',
    status: 'queued',
    createdAt: '2026-11-21T09:30:00.000Z',
  },
} as const;

const ERROR_CODES = Object.keys(ERRORS).filter((code): code is ErrorCode =>
  Object.hasOwn(ERRORS, code),
);

const ErrorBody = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    // Not a closed enum: a later 1.x may add codes, and readers must not fall over them.
    code: {
      type: 'string',
      'x-extensible-enum': ERROR_CODES,
      description: `Machine-readable error code.\n\n${ERROR_CODES.map(
        (code) => `- \`${code}\` (${ERRORS[code].status}): ${ERRORS[code].meaning}`,
      ).join('\n')}`,
    },
    message: { type: 'string', description: 'Human-readable description; says what to do next.' },
    status: {
      type: 'integer',
      description: 'The HTTP status code.',
      minimum: 400,
      maximum: 599,
    },
  },
  additionalProperties: false,
  description: 'What every 4xx and 5xx reply carries.',
  example: { code: 'pet_not_found', message: 'No animal has the id 42.', status: 404 },
} as const;

/** The named schemas of the contract, by the names that the OpenAPI document gives them. */
export const SCHEMAS = {
  NewPet,
  Pet,
  Pets,
  PetStatus,
  NewMessage,
  Message,
  Error: ErrorBody,
} as const satisfies Record<string, XSchema>;
export type SchemaName = keyof typeof SCHEMAS;

/** How a field of NewMessage is to be, in the words of an error message. */
export const NEW_MESSAGE_EXPECTATIONS: Readonly<Record<string, string>> = {
  message: `a string of 1 to ${MESSAGE_LENGTH} Unicode characters`,
};

/** How a field of NewPet is to be, in the words of an error message. */
export const NEW_PET_EXPECTATIONS: Readonly<Record<string, string>> = {
  name: `a string of 1 to ${NAME_MAX_LENGTH} characters, not blank, without control characters`,
  categoryId: 'an integer from -9223372036854775808 to 9223372036854775807, not in quotes',
  status: `one of ${PET_STATUSES.join(', ')}`,
};
