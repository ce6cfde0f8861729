import type { ErrorCode } from '../core/errors.ts';
import { MESSAGE_OPERATIONS } from './messages/operations.ts';
import { PET_OPERATIONS } from './pets/operations.ts';

/** The parts of the API, each with base addresses of its own. */
export const API_TAGS = {
  Pets: 'The animals of the store, in production and in staging.',
  Quickstart: 'One message to begin with, at an address of its own. Takes any key.',
} as const;

/** Errors that every operation may answer with, before it begins or when it fails. */
export const COMMON_ERRORS = [
  'invalid_parameter',
  'missing_api_key',
  'invalid_api_key',
  'rate_limited',
  'api_key_banned',
  'internal_error',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Every operation of the service, by operation id, in the order of the OpenAPI document. */
export const OPERATIONS = { ...PET_OPERATIONS, ...MESSAGE_OPERATIONS } as const;

export type OperationId = keyof typeof OPERATIONS;

export const OPERATION_IDS = Object.keys(OPERATIONS).filter((id): id is OperationId =>
  Object.hasOwn(OPERATIONS, id),
);
