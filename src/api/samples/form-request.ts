import type { PublishedOperation } from '../operations.ts';

/** A request of an operation, as a reader fills in its form: every value is a text. */
export interface FormRequest {
  readonly operationId: string;
  readonly method: string;
  /** Below the base address, with `{parameters}`. */
  readonly path: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly parameters: readonly FormParameter[];
  /** Sent unchanged; `undefined` for a request without a body. */
  readonly body: string | undefined;
  readonly result: SampleResult;
}

/** A parameter of a form. An empty value is not sent, except in the path. */
export interface FormParameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly value: string;
  /** Whether samples generate a value for each request if this one is empty. */
  readonly isGenerated: boolean;
}

/** The body of a successful reply: none, one that every language reads, or one with integers beyond 2^53. */
export type SampleResult = 'none' | 'plain' | 'int64';

/** The form of an operation before anybody changes it: what is required has the example of the contract. */
export function initialRequest(operation: PublishedOperation, baseUrl: string): FormRequest {
  const { id, method, path, parameters, body, isBodyOptional } = operation;
  return {
    operationId: id,
    method,
    path,
    baseUrl,
    parameters: parameters.map(({ name, in: place, required, example, isGenerated = false }) => ({
      name,
      in: place,
      value: required && example !== undefined ? String(example) : '',
      isGenerated,
    })),
    body: body && !isBodyOptional ? JSON.stringify(Object(body).example, undefined, 2) : undefined,
    result: resultOf(operation),
  };
}

function resultOf({ success: { schema } }: PublishedOperation): SampleResult {
  if (schema === undefined) return 'none';
  return JSON.stringify(schema).includes('"bigint"') ? 'int64' : 'plain';
}

/** Path and query of a request, below its base address. */
export function targetOf({ path, parameters }: FormRequest): string {
  const inPath = valuesIn('path', parameters);
  const query = new URLSearchParams(valuesIn('query', parameters));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(inPath[name] ?? ''),
  );
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** The parameters of a place that have a value, by name. */
export function valuesIn(
  place: FormParameter['in'],
  parameters: readonly FormParameter[],
): Record<string, string> {
  return Object.fromEntries(
    parameters.flatMap(({ name, in: where, value }) =>
      where === place && value !== '' ? [[name, value]] : [],
    ),
  );
}
