import type { ApiName } from '../core/environments.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Operation, ParameterDescription, Success } from '../http/operation.ts';
import { IF_NONE_MATCH_PARAMETER } from '../http/reply/entity-tag.ts';
import { RESOURCES, RESOURCES_OF } from './resources.ts';

/** Errors that every operation may return, before it is run or when it fails. */
const COMMON_ERRORS = [
  'missing_api_key',
  'invalid_api_key',
  'rate_limited',
  'api_key_banned',
  'internal_error',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Errors that every operation with a body may return. */
const BODY_ERRORS = [
  'invalid_json',
  'invalid_body',
  'unsupported_content_type',
  'body_too_large',
] as const satisfies readonly ErrorCode[];

type IdsOf<Resource> = Resource extends { readonly operations: infer Operations }
  ? keyof Operations & string
  : never;

export type OperationId = IdsOf<(typeof RESOURCES)[number]>;

/** An operation as the OpenAPI document describes it. */
export interface PublishedOperation extends Omit<Operation, 'parameters'> {
  readonly id: string;
  /** The tag of its resource. */
  readonly tag: string;
  readonly parameters: readonly ParameterDescription[];
  /** Every error that the operation may return. */
  readonly errors: readonly ErrorCode[];
}

function publish(id: string, operation: Operation, tag: string): PublishedOperation {
  const { body, parameters = [], errors = [], success, isRevalidated } = operation;
  const isRefusing = parameters.some(({ refusal }) => refusal !== undefined);
  const allErrors = [
    ...(isRefusing ? (['invalid_parameter'] as const) : []),
    ...(body ? BODY_ERRORS : []),
    ...errors,
    ...COMMON_ERRORS,
  ];
  const published = { ...operation, id, tag, errors: allErrors, parameters };
  const shown = withExample(success);
  if (!isRevalidated) return { ...published, success: shown };
  return {
    ...published,
    // No value of this parameter is refused.
    parameters: [...parameters, IF_NONE_MATCH_PARAMETER],
    success: { ...shown, headers: [...(success.headers ?? []), 'ETag'] },
  };
}

/** The success with the example of its schema, unless it has its own or no body. */
function withExample(success: Success): Success {
  if (success.schema === undefined) return success;
  return { ...success, example: success.example ?? Object(success.schema).example };
}

const published = RESOURCES.flatMap(({ tag, operations }) =>
  Object.entries<Operation>(operations).map(([id, operation]) => [id, publish(id, operation, tag)]),
);

/** Every operation of the service, by operation id, in the order of the OpenAPI document. */
export const OPERATIONS =
  // The entries are exactly those of `OperationId`; `Object.fromEntries` loses this type.
  Object.fromEntries(published) as Readonly<Record<OperationId, PublishedOperation>>;

export const OPERATION_IDS = Object.keys(OPERATIONS).filter((id): id is OperationId =>
  Object.hasOwn(OPERATIONS, id),
);

/** The operations below a base address. */
export function operationsOf(name: ApiName): readonly PublishedOperation[] {
  const tags = new Set<string>(RESOURCES_OF[name].map(({ tag }) => tag));
  return Object.values(OPERATIONS).filter(({ tag }) => tags.has(tag));
}
