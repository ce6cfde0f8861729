import type { ApiName } from '../core/environments.ts';
import { isErrorServed } from '../core/error-stability.ts';
import type { ErrorCode } from '../core/errors.ts';
import { isStableEnough, type Stability } from '../core/stability.ts';
import { describeTransitions } from '../core/transitions.ts';
import type { Operation, ParameterDescription, Success } from '../http/operation.ts';
import { IF_NONE_MATCH_PARAMETER } from '../http/reply/entity-tag.ts';
import { lazyValue } from '../lib/lazy.ts';
import { ERROR_CODES } from './error-catalogue.ts';
import type { RESOURCES, Resource, Resources } from './resources.ts';
import { RESOURCES_OF } from './resources.ts';

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
  const { body, parameters = [], errors = [], success, isRevalidated, transitions } = operation;
  const isRefusing = parameters.some(({ refusal }) => refusal !== undefined);
  const allErrors = [
    ...(isRefusing ? (['invalid_parameter'] as const) : []),
    ...(body ? BODY_ERRORS : []),
    ...errors,
    ...COMMON_ERRORS,
  ];
  const description = [operation.description, transitions && describeTransitions(transitions)]
    .filter(Boolean)
    .join(' ');
  const published = { ...operation, id, tag, description, errors: allErrors, parameters };
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

/**
 * The operations that a service serves, as its documents, pages and tools show them. The descriptions of the operations
 * are made when they are asked for, because no request to the API needs them.
 */
export class Contract {
  /** With the operations that are served, and the schemas that these use. */
  readonly resources: Resources;
  /** The least stable level that is served. */
  readonly stability: Stability;
  /** Every error code that replies may have. */
  readonly errorCodes: readonly ErrorCode[];
  readonly #operations = lazyValue(() =>
    (['production', 'quickstart', 'sandbox'] as const).flatMap((name) => this.operationsOf(name)),
  );
  readonly #operationIds = lazyValue(() => this.operations.map(({ id }) => id));
  /** By base address, once they are asked for. */
  readonly #published = new Map<ApiName, readonly PublishedOperation[]>();

  /** @param least the least stable operations that are served; the others are absent everywhere. */
  constructor(resources: Resources = RESOURCES_OF, least: Stability = 'experimental') {
    this.stability = least;
    this.errorCodes = ERROR_CODES.filter((code) => isErrorServed(code, least));
    const { production, staging, quickstart, sandbox } = resources;
    this.resources = {
      production: servedResources(production, least),
      staging: servedResources(staging, least),
      quickstart: servedResources(quickstart, least),
      sandbox: servedResources(sandbox, least),
    };
  }

  /** In the order of the OpenAPI document. */
  get operations(): readonly PublishedOperation[] {
    return this.#operations();
  }

  /** The ids of the operations. */
  get operationIds(): readonly string[] {
    return this.#operationIds();
  }

  /** The operations below a base address. */
  operationsOf(name: ApiName): readonly PublishedOperation[] {
    return this.#published.getOrInsertComputed(name, () => publishedOf(this.resources[name]));
  }
}

function publishedOf(
  resources: ReadonlyArray<Pick<Resource<never>, 'tag' | 'operations'>>,
): PublishedOperation[] {
  const all = resources.flatMap(({ tag, operations }) =>
    Object.entries(operations).map(([id, operation]) => publish(id, operation, tag)),
  );
  const ids = new Set(all.map(({ id }) => id));
  return all.map((operation) => withServedLinks(operation, ids));
}

/** These resources without the operations that are less stable than that, and without what only those use. */
function servedResources<Context>(
  resources: ReadonlyArray<Resource<Context>>,
  least: Stability,
): ReadonlyArray<Resource<Context>> {
  const isServed = ({ stability = 'stable' }: Operation) => isStableEnough(stability, least);
  const all = resources.flatMap(({ operations }) => Object.values(operations));
  if (all.every(isServed)) return resources;
  const served = resources.map((resource) => {
    const operations = Object.entries(resource.operations).filter(([, each]) => isServed(each));
    return { ...resource, operations: Object.fromEntries(operations) };
  });
  const used = new Set<unknown>();
  for (const { operations } of served) collectObjects(operations, used);
  return served.flatMap((resource) => {
    if (Object.keys(resource.operations).length === 0) return [];
    const schemas = Object.entries(resource.schemas).filter(([, schema]) => used.has(schema));
    return [{ ...resource, schemas: Object.fromEntries(schemas) }];
  });
}

/** Adds a value and all that it contains, as far as these are objects. */
function collectObjects(value: unknown, found: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || found.has(value)) return;
  found.add(value);
  for (const part of Object.values(value)) collectObjects(part, found);
}

/** The operation without links to operations that are not served. */
function withServedLinks(
  operation: PublishedOperation,
  served: ReadonlySet<string>,
): PublishedOperation {
  const { success } = operation;
  if (!success.links) return operation;
  const links = Object.entries(success.links).filter(([, link]) => served.has(link.operationId));
  if (links.length === Object.keys(success.links).length) return operation;
  const { links: _, ...others } = success;
  const kept = links.length > 0 ? { links: Object.fromEntries(links) } : {};
  return { ...operation, success: { ...others, ...kept } };
}
