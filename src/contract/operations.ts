import type { ErrorCode } from '../core/errors.ts';
import { PAGE_SIZE } from '../core/pets.ts';
import type { HeaderName } from './headers.ts';
import type { SchemaName } from './schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number;
}

/** An operation on its way out. */
export interface Deprecation {
  /** When it was declared deprecated; epoch seconds (RFC 9745). */
  readonly deprecatedAt: number;
  /** From this moment on it answers 410; epoch ms, UTC (RFC 8594). */
  readonly sunset: number;
  /** Operation path that takes its place. */
  readonly successor: string;
  readonly note: string;
}

/** The parts of the API, each with base addresses of its own. */
export const API_TAGS = {
  Pets: 'The animals of the store, in production and in staging.',
  Quickstart: 'One message to begin with, at an address of its own. Takes any key.',
} as const;
export type ApiTag = keyof typeof API_TAGS;

export interface Operation {
  readonly tag: ApiTag;
  readonly method: 'GET' | 'POST';
  /** Below the base address, with `{parameters}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: SchemaName;
  readonly success: {
    readonly status: 200 | 201 | 202;
    readonly schema: SchemaName;
    readonly description: string;
    readonly headers: readonly HeaderName[];
    readonly example: unknown;
  };
  /** Beyond those that every operation may answer with (`COMMON_ERRORS`). */
  readonly errors: readonly ErrorCode[];
  readonly deprecation?: Deprecation;
}

/** What any operation may answer before it begins, or when it fails. */
export const COMMON_ERRORS = [
  'invalid_parameter',
  'missing_api_key',
  'invalid_api_key',
  'rate_limited',
  'api_key_banned',
  'internal_error',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** The longest Idempotency-Key, in characters. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

const idempotencyKey = (description: string) =>
  ({
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_MAX_LENGTH,
      pattern: '^[!-~]+$',
    },
    example: '0b6f7a52-6f3e-4f0c-9d1e-2f0f4f8f5a11',
  }) as const;

const BISCUIT = { id: 1, name: 'Biscuit', categoryId: 7, status: 'available' };
const PEBBLE = { id: 2, name: 'Pebble', categoryId: 3, status: 'sold' };

/** Every operation of the service, by its id. To add one, add a row here and its handler in `http`. */
export const OPERATIONS = {
  listPets: {
    tag: 'Pets',
    method: 'GET',
    path: '/pets',
    summary: 'List all animals',
    description:
      'Animals in ascending id. When more follow, the reply carries a `Link` header with ' +
      '`rel="next"` (RFC 8288): request that address to go on. A page without it is the last.',
    parameters: [
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'Maximum number of animals to return (page size).',
        schema: { type: 'integer', ...PAGE_SIZE },
        example: 20,
      },
      {
        name: 'status',
        in: 'query',
        required: false,
        description: 'Filters animals by availability status.',
        schema: { $ref: '#/components/schemas/PetStatus' },
        example: 'available',
      },
      {
        name: 'after',
        in: 'query',
        required: false,
        description: 'Only animals with a greater id. Follow `Link` rather than make it yourself.',
        schema: { type: 'integer', format: 'int64', minimum: 0 },
        example: 20,
      },
    ],
    success: {
      status: 200,
      schema: 'Pets',
      description: 'A paginated list of animals.',
      headers: ['Link'],
      example: [BISCUIT, PEBBLE],
    },
    errors: [],
  },
  createPet: {
    tag: 'Pets',
    method: 'POST',
    path: '/pets',
    summary: 'Add an animal',
    description:
      'The reply is sent once the animal is on disk. With an `Idempotency-Key` the request may be ' +
      'sent again: for 24 hours the first reply is given back and no second animal is made.',
    parameters: [
      idempotencyKey(
        'A text of your choice that names this creation, such as a UUID. Scoped to the account.',
      ),
    ],
    body: 'NewPet',
    success: {
      status: 201,
      schema: 'Pet',
      description: 'Animal added; the body carries the assigned `id`.',
      headers: ['Idempotent-Replayed'],
      example: BISCUIT,
    },
    errors: [
      'invalid_json',
      'invalid_body',
      'unsupported_content_type',
      'idempotency_conflict',
      'body_too_large',
      'idempotency_mismatch',
    ],
  },
  getPet: {
    tag: 'Pets',
    method: 'GET',
    path: '/pets/{petId}',
    summary: 'Get an animal',
    description: 'One animal by its id. Use `GET /pets` with the `status` filter instead.',
    parameters: [
      {
        name: 'petId',
        in: 'path',
        required: true,
        description: 'The id of the animal to retrieve.',
        schema: { type: 'integer', format: 'int64' },
        example: 1,
      },
    ],
    success: {
      status: 200,
      schema: 'Pet',
      description: 'The requested animal.',
      headers: [],
      example: BISCUIT,
    },
    errors: ['pet_not_found', 'operation_removed'],
    deprecation: {
      deprecatedAt: Date.UTC(2026, 10, 20) / 1_000,
      sunset: Date.UTC(2030, 11, 5),
      successor: '/pets',
      note: 'Deprecated: removed on 5 December 2030. Use `GET /pets` with the `status` filter.',
    },
  },
  sendMessage: {
    tag: 'Quickstart',
    method: 'POST',
    path: '/messages',
    summary: 'Send a message',
    description:
      'Queues a message for the inbox of the account, which the dashboard shows. The reply is sent ' +
      'once the message is on disk; it is delivered once, after those sent before it. With an ' +
      '`Idempotency-Key` the request may be sent again: for as long as the message is kept, 30 days, ' +
      'the first reply is given back and no second message is queued.',
    parameters: [
      idempotencyKey(
        'A text of your choice that names this message, such as a UUID. Scoped to the account and the environment of the key.',
      ),
    ],
    body: 'NewMessage',
    success: {
      status: 202,
      schema: 'Message',
      description: 'Message queued.',
      headers: ['Idempotent-Replayed'],
      example: {
        id: 'msg_019a9f2e8c4b7d10a3f5b6c7d8e9f001',
        message: 'Hello, petstore!',
        status: 'queued',
        createdAt: '2026-11-21T09:30:00.000Z',
      },
    },
    errors: [
      'invalid_json',
      'invalid_body',
      'unsupported_content_type',
      'body_too_large',
      'idempotency_mismatch',
    ],
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

export const OPERATION_IDS = Object.keys(OPERATIONS).filter((id): id is OperationId =>
  Object.hasOwn(OPERATIONS, id),
);
