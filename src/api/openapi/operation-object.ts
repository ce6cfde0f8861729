import type { XSchema } from 'typebox/schema';
import { ERRORS, type ErrorCode } from '../../core/errors.ts';
import { errorExample } from '../../http/example-errors.ts';
import { EVERY_REPLY_HEADERS, type HeaderName } from '../../http/headers.ts';
import type { PublishedOperation } from '../operations.ts';
import type { HeaderComponents } from './header-components.ts';
import { ErrorBody } from './schemas.ts';

type Json = Record<string, unknown>;

/** Headers that every reply of a status has besides those of every reply. */
const HEADERS_OF_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/**
 * The OpenAPI Operation Object of an operation, with schemas that `publish` turns into references.
 * @param headers is given the headers of the replies.
 * @param baseUrl where the operation is served.
 */
export function operationObject(
  operationId: string,
  operation: PublishedOperation,
  headers: HeaderComponents,
  baseUrl: string,
): Json {
  const { deprecation, body, parameters, pagination } = operation;
  return {
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, deprecation?.note].filter(Boolean).join('\n\n'),
    ...(deprecation && {
      deprecated: true,
      'x-sunset': new Date(deprecation.sunset).toISOString().slice(0, 10),
    }),
    ...(pagination && { 'x-pagination': pagination }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(body, bodyExamples(body)) } }),
    responses: {
      [operation.success.status]: successObject(operationId, operation, headers),
      ...(operation.isRevalidated && { 304: unchangedObject(operationId, operation, headers) }),
      ...errorObjects(operationId, operation, headers, baseUrl),
    },
  };
}

/** The example of the schema, if it has one. */
function bodyExamples(body: XSchema): Json | undefined {
  const { example } = Object(body);
  return example === undefined ? undefined : { typical: { value: example } };
}

function successObject(
  operationId: string,
  operation: PublishedOperation,
  headers: HeaderComponents,
): Json {
  const { description, schema, example, links } = operation.success;
  return {
    description,
    headers: successHeaders(operationId, operation, headers),
    content: json(schema, { success: { value: example } }),
    ...(links && { links }),
  };
}

/** The reply to a client that has the reply with this `ETag` already: the headers of a success alone. */
function unchangedObject(
  operationId: string,
  operation: PublishedOperation,
  headers: HeaderComponents,
): Json {
  return {
    description: 'Not modified since the reply whose `ETag` was sent as `If-None-Match`.',
    headers: successHeaders(operationId, operation, headers),
  };
}

function successHeaders(
  operationId: string,
  operation: PublishedOperation,
  headers: HeaderComponents,
): Json {
  const { status, headers: own = [] } = operation.success;
  return {
    ...headers.refer([...EVERY_REPLY_HEADERS, ...own], status),
    ...headers.referDeprecation(operationId, operation),
  };
}

/** The replies with errors, by status. */
function errorObjects(
  operationId: string,
  operation: PublishedOperation,
  headers: HeaderComponents,
  baseUrl: string,
): Json {
  const byStatus = Map.groupBy(operation.errors, (code) => ERRORS[code].status);
  const replies = Array.from(byStatus, ([status, codes]) => {
    const example = (code: ErrorCode) => errorExample(code, operationId, operation, baseUrl);
    const reply = {
      description: codes.map((code) => ERRORS[code].meaning).join(' '),
      headers: {
        ...headers.refer([...EVERY_REPLY_HEADERS, ...(HEADERS_OF_STATUS[status] ?? [])], status),
        ...headers.referDeprecation(operationId, operation),
      },
      content: json(
        ErrorBody,
        Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      ),
    };
    return [status, reply] as const;
  });
  return Object.fromEntries(replies.sort(([a], [b]) => a - b));
}

function json(schema: XSchema, examples: Json | undefined): Json {
  return { 'application/json': { schema, ...(examples && { examples }) } };
}
