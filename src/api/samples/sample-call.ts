import { type FormRequest, targetOf, valuesIn } from './form-request.ts';
import { type SampleBody, sampleBody } from './sample-body.ts';

/** The placeholder for the API key in samples. */
const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** A request of an operation, for the samples of all languages. */
export interface SampleCall {
  readonly operationId: string;
  readonly method: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Path and query, below the base address. */
  readonly target: string;
  /** The parameters of the path, by name, and those of the query. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: SampleBody | undefined;
  /** Headers of its parameters whose value each request generates, such as `Idempotency-Key`. */
  readonly generated: readonly string[];
  /** The other headers of its parameters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a successful reply has a body. */
  readonly hasResult: boolean;
  /** Whether the reply has integers that may exceed 2^53. */
  readonly hasInt64: boolean;
  readonly apiKey: string;
}

/** The call that sends the request of a form. @param apiKey by default a placeholder. */
export function sampleCall(request: FormRequest, apiKey = KEY_PLACEHOLDER): SampleCall {
  const { operationId, method, baseUrl, parameters, body, result } = request;
  const headers = valuesIn('header', parameters);
  return {
    operationId,
    method,
    baseUrl,
    target: targetOf(request),
    path: valuesIn('path', parameters),
    query: valuesIn('query', parameters),
    body: body === undefined ? undefined : sampleBody(body),
    generated: parameters.flatMap(({ name, value, isGenerated }) =>
      isGenerated && value === '' ? [name] : [],
    ),
    headers,
    // A 304 has no body.
    hasResult: result !== 'none' && !('If-None-Match' in headers),
    hasInt64: result === 'int64',
    apiKey,
  };
}
