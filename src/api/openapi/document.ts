import type { XSchema } from 'typebox/schema';
import type { ApiPart } from '../../core/environments.ts';
import { ERRORS, type ErrorCode } from '../../core/errors.ts';
import { PLAN_NAMES, PLANS } from '../../core/plans.ts';
import { EVERY_REPLY_HEADERS, HEADERS, type HeaderName } from '../../http/headers.ts';
import type { Parameter } from '../../http/operation.ts';
import { OPERATIONS, type PublishedOperation } from '../operations.ts';
import { ENVIRONMENT_RESOURCES, QUICKSTART_RESOURCES } from '../resources.ts';
import { ErrorBody, publishSchemas, schemaName } from './schemas.ts';

type Json = Record<string, unknown>;

const HEADER_REF = '#/components/headers/';

/** Of the errors that are answered before the operation is looked for. */
const BEFORE_OPERATION: readonly number[] = [401, 429];

const QUICKSTART_ABOUT = {
  title: 'Petstore quickstart',
  summary: 'Sends a first message over a JSON HTTP API.',
  purpose: 'Send a message to the inbox of your account.',
  keys: 'An API key of either environment',
  resources: QUICKSTART_RESOURCES,
};
const PETS_ABOUT = {
  title: 'Petstore',
  summary: 'Manages animals over a JSON HTTP API.',
  purpose: 'List, add and fetch animals.',
  keys: 'An API key of the environment',
  resources: ENVIRONMENT_RESOURCES,
};

/** What each base address serves, in the words of its document. */
const ABOUT = {
  production: { ...PETS_ABOUT, server: 'Production' },
  staging: { ...PETS_ABOUT, server: 'Staging: separate animals and keys' },
  quickstart: { ...QUICKSTART_ABOUT, server: 'Quickstart: takes keys of either environment' },
} as const satisfies Record<ApiPart, object>;

/**
 * The OpenAPI 3.1 document of what one base address serves, made from the data that the service runs on.
 * Generators ignore the servers of an operation and variables in a server's address, so that the
 * document has one server, with a literal address.
 * @param baseUrl without a slash at its end.
 */
export function openapiDocument(part: ApiPart, baseUrl: string): Json {
  const { title, summary, purpose, keys, resources, server } = ABOUT[part];
  const paths = pathsOf(resources.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      summary,
      description: introduction(purpose),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: server }],
    security: [{ apiKey: [] }],
    tags: resources.map(({ tag: name, description }) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: `${keys}: \`Authorization: Bearer <API_KEY>\`.`,
        },
      },
      schemas: publishSchemas(resources),
      headers: usedHeaders(JSON.stringify(paths)),
    },
  };
}

/** The headers that this text refers to. */
function usedHeaders(text: string): Json {
  const isUsed = (name: string) => text.includes(`"${HEADER_REF}${name}"`);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => isUsed(name)));
}

/** @param purpose what the operations are for, in one sentence. */
function introduction(purpose: string): string {
  const rows = PLAN_NAMES.map((plan) => {
    const { title, limits } = PLANS[plan];
    const cells = limits ? [limits.perMinute, limits.perDay] : ['Custom', 'Custom'];
    return `| ${[title, ...cells.map((cell) => cell.toLocaleString('en'))].join(' | ')} |`;
  });
  return [
    `${purpose} Every operation needs an API key as a bearer token.`,
    '',
    '| Plan | Requests per minute | Requests per day |',
    '|---|---|---|',
    ...rows,
    '',
    'Limits belong to the account. Every reply tells how much is left. Past a limit the reply is ' +
      '429 with `Retry-After`; a key that goes on regardless is banned for a while.',
    '',
    'HEAD is served wherever GET is. An unknown path gets 404 `not_found`, a method that a path ' +
      'does not serve gets 405 `method_not_allowed` with `Allow`.',
    '',
    'Replies are not to be cached (`Cache-Control: no-store`) nor guessed at ' +
      '(`X-Content-Type-Options: nosniff`). Pages of any origin may read them (CORS); the preflight ' +
      'that a browser sends needs no key and does not count.',
  ].join('\n');
}

/** The operations of the resources with these tags, by path. */
function pathsOf(tags: readonly string[]): Json {
  const byPath: Record<string, Json> = {};
  for (const [operationId, operation] of Object.entries(OPERATIONS)) {
    if (!tags.includes(operation.tag)) continue;
    const method = operation.method.toLowerCase();
    byPath[operation.path] = {
      ...byPath[operation.path],
      [method]: describe(operationId, operation),
    };
  }
  return byPath;
}

function describe(operationId: string, operation: PublishedOperation): Json {
  const { deprecation, body, parameters } = operation;
  return {
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, deprecation?.note].filter(Boolean).join('\n\n'),
    ...(deprecation && {
      deprecated: true,
      'x-sunset': new Date(deprecation.sunset).toISOString().slice(0, 10),
    }),
    ...(parameters.length > 0 && { parameters: parameters.map(parameter) }),
    ...(body && {
      requestBody: { required: true, content: json(schemaRef(body)) },
    }),
    responses: responses(operation),
  };
}

function parameter({ name, in: place, required, description, schema, example }: Parameter): Json {
  return { name, in: place, required, description, schema, example };
}

function responses(operation: PublishedOperation): Json {
  const { success, deprecation, errors: codes } = operation;
  const lifecycle: HeaderName[] = deprecation ? ['Deprecation', 'Sunset', 'Link'] : [];
  const replies: Json = {
    [success.status]: {
      description: success.description,
      headers: headerRefs([...EVERY_REPLY_HEADERS, ...(success.headers ?? []), ...lifecycle]),
      content: json(schemaRef(success.schema), { success: { value: success.example } }),
    },
  };
  for (const status of new Set(codes.map((code) => ERRORS[code].status).sort((a, b) => a - b))) {
    replies[status] = errorResponse(
      codes.filter((code) => ERRORS[code].status === status),
      status,
      BEFORE_OPERATION.includes(status) ? [] : lifecycle,
    );
  }
  return replies;
}

function errorResponse(codes: readonly ErrorCode[], status: number, lifecycle: HeaderName[]): Json {
  const headers: HeaderName[] = [...EVERY_REPLY_HEADERS, ...lifecycle];
  if (status === 401) headers.push('WWW-Authenticate');
  if (status === 429 || status === 503) headers.push('Retry-After');
  const examples = codes.map((code) => [
    code,
    { value: { code, message: ERRORS[code].meaning, status } },
  ]);
  return {
    description: codes.map((code) => ERRORS[code].meaning).join(' '),
    headers: headerRefs(headers),
    content: json(schemaRef(ErrorBody), Object.fromEntries(examples)),
  };
}

function json(schema: Json, examples?: Json): Json {
  return { 'application/json': { schema, ...(examples && { examples }) } };
}

function schemaRef(schema: XSchema): Json {
  return { $ref: `#/components/schemas/${schemaName(schema)}` };
}

function headerRefs(names: HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: HEADER_REF + name }]));
}
