import { OrderStatus } from '../api/orders/schemas.ts';
import { NewPet, PetStatus } from '../api/pets/schemas.ts';
import { ENVIRONMENTS } from '../core/environments.ts';
import { PLAN_NAMES } from '../core/limits/plans.ts';
import { MESSAGE_MAX_LENGTH } from '../core/messages/messages.ts';

/*
 * The JSON Schema (2020-12) of a fixture, published as `fixture.schema.json`. `fixture.ts` checks what a schema
 * cannot express, such as that a ban names a key of the fixture.
 */

const count = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const limit = { ...count, minimum: 1 } as const;
const email = {
  type: 'string',
  maxLength: 254,
  description:
    'E-mail address of an account: a dot-atom (RFC 5322) and a domain of at least two labels, in ASCII.',
} as const;
const environment = { enum: ENVIRONMENTS, description: 'Production unless it is named.' } as const;
const time = {
  type: 'string',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,3})?Z$',
  description: 'A time in UTC, such as 2030-12-05T00:00:00Z.',
} as const;

const Key = {
  type: 'object',
  additionalProperties: false,
  properties: {
    environment,
    key: {
      type: 'string',
      pattern: '^pst_(live|staging)_[0-9A-Za-z]{36}$',
      description:
        'The text of the key: the prefix of its environment and 36 letters and digits. The checksum at its end need not be right. Generated when it is left out.',
    },
    name: { type: 'string', minLength: 1, maxLength: 100 },
    expiresAt: time,
  },
  description: 'An API key.',
} as const;

const Account = {
  type: 'object',
  additionalProperties: false,
  required: ['email'],
  properties: {
    email,
    plan: { enum: PLAN_NAMES, description: 'Free unless it is named.' },
    perMinute: { ...limit, description: 'Requests per minute; for Enterprise only.' },
    perDay: { ...limit, description: 'Requests per day; for Enterprise only.' },
    role: { enum: ['customer', 'operator'], description: 'Customer unless it is named.' },
    keys: { type: 'array', maxItems: 100, items: Key },
  },
  description: 'An account with its keys.',
} as const;

const Pet = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'categoryId'],
  properties: {
    name: NewPet.properties.name,
    categoryId: {
      anyOf: [
        { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'string', pattern: '^-?(0|[1-9][0-9]{0,18})$' },
      ],
      description: 'Any int64: a number, or its decimal digits as a string.',
    },
    status: {
      enum: PetStatus.enum,
      description: 'Without it, what the last order makes the animal, or available.',
    },
    account: {
      ...email,
      description:
        'E-mail address of the account that the animal belongs to. Anyone may change it when it is left out.',
    },
  },
  description: 'An animal. The ids begin with 1, in the order of the list.',
} as const;

const Order = {
  type: 'object',
  additionalProperties: false,
  required: ['account', 'pet'],
  properties: {
    account: { ...email, description: 'E-mail address of the account that ordered the animal.' },
    pet: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The place of the animal in the list of the same environment, from 1: its id.',
    },
    status: { enum: OrderStatus.enum, description: 'Placed unless it is named.' },
  },
  description:
    'An order of an animal, which is pending while the order is open. The ids begin with 1, in the order of the list.',
} as const;

const Message = {
  type: 'object',
  additionalProperties: false,
  required: ['account', 'message'],
  properties: {
    account: email,
    environment,
    message: { type: 'string', minLength: 1, maxLength: MESSAGE_MAX_LENGTH },
  },
  description: 'A message in the inbox of an account.',
} as const;

const Ban = {
  type: 'object',
  additionalProperties: false,
  required: ['key', 'seconds'],
  properties: {
    key: { type: 'string', description: 'The text of one of the keys above.' },
    seconds: {
      ...limit,
      maximum: 86_400,
      description: 'How long the ban lasts from the start on.',
    },
  },
  description: 'A ban in force.',
} as const;

const Usage = {
  type: 'object',
  additionalProperties: false,
  required: ['account'],
  properties: {
    account: email,
    environment,
    minuteUsed: { ...count, description: 'Requests of the minute that begins with the start.' },
    dayUsed: { ...count, description: 'Requests of this day (UTC).' },
  },
  description: 'What an account has used of its limits.',
} as const;

/** The schema of a fixture. */
export const FixtureSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Petstore fixture',
  description: 'What a throwaway service begins with. Everything is optional.',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    clock: {
      type: 'object',
      additionalProperties: false,
      properties: {
        now: time,
        advanceSeconds: { type: 'integer', minimum: 0, maximum: 315_576_000 },
      },
      description: 'The time of the service at its start: one of the two. It goes on from there.',
    },
    accounts: { type: 'array', maxItems: 10_000, items: Account },
    pets: {
      type: 'object',
      additionalProperties: false,
      properties: {
        production: { type: 'array', items: Pet },
        staging: { type: 'array', items: Pet },
      },
      description: 'The animals of each environment.',
    },
    orders: {
      type: 'object',
      additionalProperties: false,
      properties: {
        production: { type: 'array', items: Order },
        staging: { type: 'array', items: Order },
      },
      description: 'The orders of each environment, the oldest first.',
    },
    messages: { type: 'array', items: Message },
    bans: { type: 'array', items: Ban },
    usage: { type: 'array', items: Usage },
  },
} as const;
