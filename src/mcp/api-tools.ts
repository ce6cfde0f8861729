import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import { ErrorBody } from '../api/openapi/schemas.ts';
import type { Contract, PublishedOperation } from '../api/operations.ts';
import type { ApiName, Environment } from '../core/environments.ts';
import { ERRORS } from '../core/errors.ts';
import { MERGE_PATCH_MEDIA_TYPES } from '../http/body/media-type.ts';
import { lifecycleOf } from '../http/lifecycle.ts';
import type { ParameterDescription } from '../http/operation.ts';
import { IF_NONE_MATCH_PARAMETER } from '../http/reply/entity-tag.ts';
import { toolSchema } from './tool-schemas.ts';

/** An operation of the API as a tool, which has the name of the operation. */
export interface ApiTool {
  readonly operation: PublishedOperation;
  /** Where the operation is served, without a trailing slash. */
  readonly baseUrl: string;
}

/** Base addresses, without trailing slashes. */
export type ApiAddresses = Readonly<Record<ApiName, string>>;

/** The base addresses whose operations the keys of an environment can use, in the order of the tools. */
const APIS_OF_KEY = {
  production: ['production', 'quickstart'],
  staging: ['staging', 'quickstart', 'sandbox'],
} as const satisfies Record<Environment, readonly ApiName[]>;

/** The tools for keys of this environment: one for each operation that the keys can use. */
export function toolsOf(
  environment: Environment,
  addresses: ApiAddresses,
  contract: Contract,
): readonly ApiTool[] {
  return APIS_OF_KEY[environment].flatMap((api) =>
    contract.operationsOf(api).map((operation) => ({ operation, baseUrl: addresses[api] })),
  );
}

/** The name of a parameter as an argument of a tool: a header such as `Idempotency-Key` is `idempotencyKey`. */
export function argumentName({ name, in: place }: ParameterDescription): string {
  if (place !== 'header') return name;
  const words = name.toLowerCase().split('-');
  return words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
}

/** The parameters of an operation that are arguments of its tool; not `If-None-Match`, since a tool needs a body. */
export function parametersOf({ parameters }: PublishedOperation): readonly ParameterDescription[] {
  return parameters.filter((parameter) => parameter !== IF_NONE_MATCH_PARAMETER);
}

/** Whether results have the entity tag of what they show, for the argument `ifMatch` of another tool. */
export function hasEntityTag({ success, pagination }: PublishedOperation): boolean {
  return pagination === undefined && success.headers?.includes('ETag') === true;
}

/** The description of a tool in the list for clients. */
export function describeTool({ operation, baseUrl }: ApiTool): Tool {
  return {
    name: operation.id,
    title: operation.summary,
    description: descriptionOf(operation, baseUrl),
    inputSchema: inputSchema(operation),
    outputSchema: outputSchema(operation),
    annotations: annotationsOf(operation),
  };
}

function descriptionOf(operation: PublishedOperation, baseUrl: string): string {
  const { method, path, description, pagination, success, errors } = operation;
  return [
    description,
    ...lifecycleOf(operation).notes.map(({ text }) => text),
    ...(pagination
      ? ['Instead of the `Link`, a result has the arguments of the next call in `nextPage`.']
      : []),
    ...(success.schema ? [] : [`Without an \`error\` it succeeded: ${success.description}`]),
    `Sends \`${method} ${baseUrl}${path}\`, which counts as one request towards the limits that \`rateLimit\` ` +
      'in the result shows. After an error with `retryAfter`, wait that many seconds: a key that goes on ' +
      'after 429 is banned for a while.',
    `Errors:\n${errors.map((code) => `- \`${code}\` (${ERRORS[code].status}): ${ERRORS[code].meaning}`).join('\n')}`,
  ].join('\n\n');
}

/** Hints that let hosts decide which calls a person must confirm. */
function annotationsOf({
  method,
  mediaTypes,
  summary,
  isDestructive,
}: PublishedOperation): ToolAnnotations {
  const isMergePatch = mediaTypes === MERGE_PATCH_MEDIA_TYPES;
  return {
    title: summary,
    readOnlyHint: method === 'GET',
    destructiveHint: isDestructive ?? (method !== 'GET' && method !== 'POST'),
    idempotentHint: method !== 'POST' && (method !== 'PATCH' || isMergePatch),
    openWorldHint: false,
  };
}

function inputSchema(operation: PublishedOperation): Tool['inputSchema'] {
  const { body, isBodyOptional } = operation;
  const parameters = parametersOf(operation);
  const ofParameters = parameters.map((parameter) => {
    const { in: place, name, description, schema } = parameter;
    const text =
      place === 'header' ? `${description} Sent as the header \`${name}\`.` : description;
    return [argumentName(parameter), toolSchema({ ...schema, description: text })] as const;
  });
  const { properties = {}, required = [] } = toolSchema(body ?? {});
  return {
    type: 'object',
    properties: { ...Object(properties), ...Object.fromEntries(ofParameters) },
    required: [
      ...(isBodyOptional ? [] : [required].flat().map(String)),
      ...parameters.filter((parameter) => parameter.required).map(argumentName),
    ],
  };
}

const wholeNumber = { type: 'integer', minimum: 0 };

function windowSchema(description: string) {
  return {
    type: 'object',
    required: ['limit', 'remaining', 'resetIn'],
    properties: {
      limit: { ...wholeNumber, description: 'Requests in each window.' },
      remaining: { ...wholeNumber, description: 'Requests remaining in this window.' },
      resetIn: { ...wholeNumber, description: 'Seconds until this window ends.' },
    },
    description,
  };
}

const RATE_LIMIT = {
  type: 'object',
  required: ['limit', 'remaining', 'reset', 'minute', 'day'],
  properties: {
    limit: { ...wholeNumber, description: 'The limit of the window with fewer requests left.' },
    remaining: { ...wholeNumber, description: 'Requests remaining in that window.' },
    reset: { ...wholeNumber, description: 'When that window ends; Unix time in seconds.' },
    minute: windowSchema('The window of a minute.'),
    day: windowSchema('The UTC day.'),
  },
  description: 'What the account has left. Absent where no headers of a reply of the API arrived.',
};

const ERROR = {
  type: 'object',
  required: ErrorBody.required,
  properties: {
    ...Object(toolSchema(ErrorBody)['properties']),
    // The description of each tool lists its own codes.
    code: {
      type: 'string',
      description: 'One of the errors of the tool; later versions may add codes.',
    },
  },
  description: 'Why the call failed. Only with `isError`.',
};

/** The schema of results and errors together, because some clients check both against it. */
function outputSchema(operation: PublishedOperation): Tool['outputSchema'] {
  const { success, pagination } = operation;
  const entityTag = {
    type: 'string',
    description:
      'The version of the result: pass it as `ifMatch`, with its quotes, to change only this one.',
  };
  const nextPage = {
    type: 'object',
    description: 'Arguments for the next page. Absent on the last page.',
  };
  const replayed = {
    type: 'boolean',
    description: 'Whether this is the reply to an earlier call with the same `idempotencyKey`.',
  };
  return {
    type: 'object',
    properties: {
      ...(success.schema && {
        result: { ...toolSchema(success.schema), description: success.description },
      }),
      error: ERROR,
      ...(pagination && { nextPage }),
      ...(success.headers?.includes('Idempotent-Replayed') && { replayed }),
      ...(hasEntityTag(operation) && { entityTag }),
      retryAfter: { ...wholeNumber, description: 'Seconds to wait before the next call.' },
      rateLimit: RATE_LIMIT,
      requestId: { type: 'string', description: 'Names the request in the log of the service.' },
    },
  };
}
