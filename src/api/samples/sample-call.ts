import type { PublishedOperation } from '../operations.ts';

/** The placeholder for the API key in samples; pages replace it with the reader's key. */
const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** A request of an operation, with the examples of the contract. */
export interface SampleCall {
  readonly operationId: string;
  readonly method: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Path and query, below the base address. */
  readonly target: string;
  /** The parameters of the path, by name, and those of the query. */
  readonly path: Readonly<Record<string, string | number>>;
  readonly query: Readonly<Record<string, string | number>>;
  /** The example of the body: its fields by name. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Headers of its parameters whose value each request generates, such as `Idempotency-Key`. */
  readonly generated: readonly string[];
  /** The other headers of its parameters that have an example. */
  readonly headers: Readonly<Record<string, string | number>>;
  /** Whether a successful reply has a body. */
  readonly hasResult: boolean;
  /** Whether the reply has integers that may exceed 2^53. */
  readonly hasInt64: boolean;
  readonly apiKey: string;
}

/**
 * The request that the samples of an operation send. The cursor parameter is left out, because the first page
 * has content in every store.
 */
export function sampleCall(operation: PublishedOperation, baseUrl: string): SampleCall {
  const { method, path, parameters, body, success, pagination } = operation;
  const given = parameters.flatMap(({ name, in: place, example }) =>
    example === undefined || name === pagination?.cursorParameter ? [] : [{ name, place, example }],
  );
  const of = (wanted: string) =>
    Object.fromEntries(
      given.flatMap(({ name, place, example }) => (place === wanted ? [[name, example]] : [])),
    );
  const inPath = of('path');
  const query = of('query');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(inPath[name] ?? ''));
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return {
    operationId: operation.id,
    method,
    baseUrl,
    target: search.length > 0 ? `${filled}?${search.join('&')}` : filled,
    path: inPath,
    query,
    body: body && Object(body).example,
    generated: parameters.flatMap(({ name, isGenerated }) => (isGenerated ? [name] : [])),
    headers: of('header'),
    hasResult: success.schema !== undefined,
    hasInt64: JSON.stringify(success.schema ?? {}).includes('"bigint"'),
    apiKey: KEY_PLACEHOLDER,
  };
}
