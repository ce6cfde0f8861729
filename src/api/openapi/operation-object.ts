import type { XSchema } from 'typebox/schema';
import { ERRORS, type ErrorCode, hasRetryAfter } from '../../core/errors.ts';
import { JSON_MEDIA_TYPES } from '../../http/body/media-type.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import type { ParameterDescription } from '../../http/operation.ts';
import { errorExample } from '../../http/reply/example-errors.ts';
import type { PublishedOperation } from '../operations.ts';
import type { HeaderComponents, OwnHeader } from './header-components.ts';
import { ErrorBody } from './schemas.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI Operation Object of an operation, with schemas that `publish` turns into references.
 * @param headers collects the headers of the replies.
 * @param baseUrl where the operation is served.
 */
export function operationObject(
  operation: PublishedOperation,
  headers: HeaderComponents,
  baseUrl: string,
): Json {
  const { body, parameters, pagination, success } = operation;
  const { description, schema, example, links, headers: own = [] } = success;
  const lifecycle = lifecycleOf(operation);
  const successHeaders = headers.refer(operation, own, success.status);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, ...lifecycle.notes.map(({ text }) => text)].join('\n\n'),
    ...lifecycle.fields,
    ...(pagination && { 'x-pagination': pagination }),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
    ...(body && { requestBody: requestBody(operation, body) }),
    responses: {
      [success.status]: {
        description,
        headers: successHeaders,
        ...(schema && { content: json(schema, { success: { value: example } }) }),
        ...(links && { links }),
      },
      ...(operation.isRevalidated && {
        304: {
          description: 'Not modified since the reply whose `ETag` was sent as `If-None-Match`.',
          headers: successHeaders,
        },
      }),
      ...errorObjects(operation, headers, baseUrl),
    },
  };
}

function parameterObject(parameter: ParameterDescription): Json {
  const { name, in: place, required, description, schema, example } = parameter;
  const object = { name, in: place, required, description, schema };
  return example === undefined ? object : { ...object, example };
}

function requestBody(
  { mediaTypes = JSON_MEDIA_TYPES, isBodyOptional }: PublishedOperation,
  schema: XSchema,
): Json {
  const examples = bodyExamples(schema);
  const content = { schema, ...(examples && { examples }) };
  return {
    required: !isBodyOptional,
    content: Object.fromEntries(mediaTypes.map((type) => [type, content])),
  };
}

/** The example of the schema, if it has one. */
function bodyExamples(body: XSchema): Json | undefined {
  const { example } = Object(body);
  return example === undefined ? undefined : { typical: { value: example } };
}

/** The replies with errors, by status. */
function errorObjects(
  operation: PublishedOperation,
  headers: HeaderComponents,
  baseUrl: string,
): Json {
  const byStatus = Map.groupBy(operation.errors, (code) => ERRORS[code].status);
  const replies = Array.from(byStatus, ([status, codes]) => {
    const examples = codes.map((code) => {
      return [code, { value: errorExample(code, operation, baseUrl) }] as const;
    });
    const reply = {
      description: codes.map((code) => ERRORS[code].meaning).join(' '),
      headers: headers.refer(operation, errorHeaders(operation, status, codes), status),
      content: json(ErrorBody, Object.fromEntries(examples)),
    };
    return [status, reply] as const;
  });
  return Object.fromEntries(replies.sort(([a], [b]) => a - b));
}

/** Headers of errors in addition to those of every reply. */
function errorHeaders(
  { method }: PublishedOperation,
  status: number,
  codes: readonly ErrorCode[],
): readonly OwnHeader[] {
  const waiting = codes.filter(hasRetryAfter);
  return [
    ...(method === 'PATCH' && codes.includes('unsupported_content_type')
      ? (['Accept-Patch'] as const)
      : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(waiting.length === codes.length ? (['Retry-After'] as const) : []),
    // Only some of the codes of this status have it.
    ...(waiting.length > 0 && waiting.length < codes.length ? [SOMETIMES_WAITING] : []),
  ];
}

const SOMETIMES_WAITING = { name: 'Retry-After', required: false } as const;

function json(schema: XSchema, examples: Json | undefined): Json {
  return { 'application/json': { schema, ...(examples && { examples }) } };
}
