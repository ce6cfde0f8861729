import type { XSchema } from 'typebox/schema';
import { ApiError, apiError, messageFor } from '../../core/errors.ts';
import { lazy, lazyImport } from '../../lib/lazy.ts';
import type { Operation } from '../operation.ts';
import type { FieldChecks } from './body-validator.ts';
import { acceptPatch, contentTypeHeader, JSON_MEDIA_TYPES, mediaTypeOf } from './media-type.ts';
import { parseStrictJson } from './strict-json.ts';

/** The largest body of the API, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

const loadBodyValidator = lazyImport(() => import('./body-validator.ts'));

/** An operation with a body; see `bodyParser` for its schema. */
type OperationWithBody<Schema extends XSchema> = Partial<
  Pick<Operation, 'method' | 'mediaTypes' | 'expectations'>
> & {
  readonly body: Schema;
  /** Loads the checks that `bodyParser` takes. */
  readonly loadChecks?: () => Promise<FieldChecks>;
};

/**
 * Makes a function that reads the body of requests to an operation, and checks it against its schema.
 * @param maxBytes the largest body that is accepted.
 * @returns a function that throws ApiError `unsupported_content_type`, `body_too_large`, `invalid_json` or
 *   `invalid_body`.
 */
export function bodyReader<const Schema extends XSchema>(
  operation: OperationWithBody<Schema>,
  maxBytes = MAX_BODY_BYTES,
) {
  const { checkType, parse } = bodySteps(operation);
  return async (request: Request) => {
    checkType(request.headers);
    return parse(await readBody(request, maxBytes));
  };
}

/**
 * Like `bodyReader`, for an operation whose requests may have no body.
 * @returns a function whose result is `undefined` for a request without a body, whatever its content type.
 */
export function optionalBodyReader<const Schema extends XSchema>(
  operation: OperationWithBody<Schema> & Required<Pick<Operation, 'isBodyOptional'>>,
) {
  const { checkType, parse } = bodySteps(operation);
  return async (request: Request) => {
    const body = await readBody(request, MAX_BODY_BYTES);
    if (body.length === 0) return undefined;
    checkType(request.headers);
    return parse(body);
  };
}

function bodySteps<const Schema extends XSchema>(operation: OperationWithBody<Schema>) {
  const { mediaTypes = JSON_MEDIA_TYPES } = operation;
  const inError = acceptPatch(operation);
  const loadParser = lazy(async () => {
    const { bodyParser } = await loadBodyValidator();
    return bodyParser(operation.body, operation.expectations, await operation.loadChecks?.());
  });
  return {
    checkType: (headers: Headers) => checkContentType(headers, mediaTypes, inError),
    parse: async (bytes: Uint8Array) => {
      const body = parseStrictJson(bytes);
      const parse = await loadParser();
      return parse(body);
    },
  };
}

/**
 * Reads a request's body as strict JSON.
 * @param maxBytes the largest body that is accepted.
 * @throws ApiError `unsupported_content_type`, `body_too_large` or `invalid_json`
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  checkContentType(request.headers, JSON_MEDIA_TYPES);
  return parseStrictJson(await readBody(request, maxBytes));
}

/**
 * Parameters are ignored: JSON is in UTF-8, whatever a `charset` says (RFC 8259, 8.1 and 11).
 * @param inError headers of the error.
 */
function checkContentType(
  headers: Headers,
  mediaTypes: readonly string[],
  inError?: Readonly<Record<string, string>>,
): void {
  const type = headers.get('content-type') ?? '';
  if (!mediaTypes.includes(type) && !mediaTypes.includes(mediaTypeOf(type) ?? '')) {
    const contentType = contentTypeHeader(mediaTypes);
    throw unsupported(messageFor('unsupported_content_type', { contentType }), inError);
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw unsupported('Send the body as it is, without a Content-Encoding.', inError);
  }
}

function unsupported(message: string, headers?: Readonly<Record<string, string>>): ApiError {
  return new ApiError('unsupported_content_type', message, { headers });
}

/** The length that the headers declare, in bytes; `NaN` for a body of chunks, and without a body. */
export function declaredLength({ headers }: Request): number {
  // A Content-Length given twice arrives joined by a comma: not a number, so the bytes are counted.
  return Number(headers.get('content-length') ?? Number.NaN);
}

/**
 * Reads a request's body, but not further than its largest size.
 * @throws ApiError `body_too_large`, or `invalid_json` when the body did not arrive whole.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = declaredLength(request);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  try {
    return declared <= maxBytes ? await request.bytes() : await readCounted(request, maxBytes);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    // The client has disconnected and reads no reply, but this must not be logged as a failure of the
    // service.
    throw new ApiError('invalid_json', 'The body did not arrive whole.', { cause });
  }
}

async function readCounted(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const chunk = (await reader?.read())?.value;
    if (!chunk) return Buffer.concat(chunks);
    size += chunk.byteLength;
    if (size > maxBytes) {
      // Where the request was cloned, this resolves only once its copy has been cancelled, too.
      reader?.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    chunks.push(chunk);
  }
}

function tooLarge(maxBytes: number): ApiError {
  return apiError('body_too_large', { maximum: maxBytes / 1024 });
}
