import type { XSchema } from 'typebox/schema';
import { JSON_MEDIA_TYPES } from '../../http/body/media-type.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import type { ParameterDescription } from '../../http/operation.ts';
import type { PublishedOperation } from '../operations.ts';
import { type DocumentedReply, documentedReplies } from './documented-replies.ts';
import type { HeaderComponents } from './header-components.ts';

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
  const { body, parameters, pagination } = operation;
  const lifecycle = lifecycleOf(operation);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, ...lifecycle.notes.map(({ text }) => text)].join('\n\n'),
    ...lifecycle.fields,
    ...(pagination && { 'x-pagination': pagination }),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
    ...(body && { requestBody: requestBody(operation, body) }),
    responses: Object.fromEntries(
      documentedReplies(operation, baseUrl).map((reply) => [
        reply.status,
        replyObject(operation, reply, headers),
      ]),
    ),
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

function replyObject(
  operation: PublishedOperation,
  { status, description, headers: own, schema, examples, links }: DocumentedReply,
  headers: HeaderComponents,
): Json {
  const byName = Object.fromEntries(examples.map(({ name, value }) => [name, { value }]));
  return {
    description,
    headers: headers.refer(operation, own, status),
    ...(schema && { content: { 'application/json': { schema, examples: byName } } }),
    ...(links && { links }),
  };
}
