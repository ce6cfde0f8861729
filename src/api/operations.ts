import type { ErrorCode } from '../core/errors.ts';
import type { Operation } from '../http/operation.ts';
import { RESOURCES } from './resources.ts';

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

type IdsOf<Resource> = Resource extends { readonly operations: infer Operations }
  ? keyof Operations & string
  : never;

export type OperationId = IdsOf<(typeof RESOURCES)[number]>;

/** An operation with the tag of its resource. */
export interface PublishedOperation extends Operation {
  readonly tag: string;
}

const published = RESOURCES.flatMap(({ tag, operations }) =>
  Object.entries<Operation>(operations).map(([id, operation]) => [id, { ...operation, tag }]),
);

/** Every operation of the service, by operation id, in the order of the OpenAPI document. */
export const OPERATIONS =
  // The entries are exactly those that `OperationId` lists; `Object.fromEntries` loses that.
  Object.fromEntries(published) as Readonly<Record<OperationId, PublishedOperation>>;

export const OPERATION_IDS = Object.keys(OPERATIONS).filter((id): id is OperationId =>
  Object.hasOwn(OPERATIONS, id),
);
