import type { XSchema } from 'typebox/schema';
import type { Environment } from '../../core/environments.ts';
import { ERRORS, type ErrorCode } from '../../core/errors.ts';
import { PLAN_NAMES, PLANS } from '../../core/plans.ts';
import { EVERY_REPLY_HEADERS, HEADERS, type HeaderName } from '../../http/headers.ts';
import type { Parameter } from '../../http/operation.ts';
import { OPERATIONS, type PublishedOperation } from '../operations.ts';
import { QUICKSTART_RESOURCES, RESOURCES } from '../resources.ts';
import { ErrorBody, publishSchemas, schemaName } from './schemas.ts';

type Json = Record<string, unknown>;

/** Of the errors that are answered before the operation is looked for. */
const BEFORE_OPERATION: readonly number[] = [401, 429];

/** An OpenAPI Server Object: where one environment is served. */
export type Server = Readonly<Json>;

/** Where the operations are served: pets at one or more addresses, the quickstart at its own. */
export interface Servers {
  readonly pets: readonly Server[];
  readonly quickstart: Server;
}

const PURPOSE = {
  production: 'Production',
  staging: 'Staging: separate animals and keys',
  quickstart: 'Quickstart: takes keys of either environment',
};
type Purpose = Environment | 'quickstart';

/** A server at exactly this base address. */
export function fixedServer(purpose: Purpose, url: string): Server {
  return { url, description: PURPOSE[purpose] };
}

/** A server whose base address the reader's tool may set, with this one to begin with. */
export function adjustableServer(purpose: Purpose, url: string): Server {
  const variables = { baseUrl: { default: url, description: 'Base address of the service.' } };
  return { url: '{baseUrl}', description: PURPOSE[purpose], variables };
}

/** The OpenAPI 3.1 document of the service, made from the same data that the service runs on. */
export function openapiDocument(servers: Servers): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Petstore',
      version: '1.0.0',
      summary: 'Manages animals over a JSON HTTP API.',
      description: introduction(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: servers.pets,
    security: [{ apiKey: [] }],
    tags: RESOURCES.map(({ tag: name, description }) => ({ name, description })),
    paths: paths(servers.quickstart),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the environment: `Authorization: Bearer <API_KEY>`.',
        },
      },
      schemas: publishSchemas(),
      headers: Object.fromEntries(Object.entries(HEADERS)),
    },
  };
}

function introduction(): string {
  const rows = PLAN_NAMES.map((plan) => {
    const { title, limits } = PLANS[plan];
    const cells = limits ? [limits.perMinute, limits.perDay] : ['Custom', 'Custom'];
    return `| ${[title, ...cells.map((cell) => cell.toLocaleString('en'))].join(' | ')} |`;
  });
  return [
    'List, add and fetch animals. Every operation needs an API key as a bearer token.',
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

function paths(quickstart: Server): Json {
  const byPath: Record<string, Json> = {};
  for (const [operationId, operation] of Object.entries(OPERATIONS)) {
    const method = operation.method.toLowerCase();
    byPath[operation.path] = {
      ...byPath[operation.path],
      [method]: {
        ...describe(operationId, operation),
        ...(isOfQuickstart(operation) && { servers: [quickstart] }),
      },
    };
  }
  return byPath;
}

function isOfQuickstart(operation: PublishedOperation): boolean {
  return QUICKSTART_RESOURCES.some(({ tag }) => tag === operation.tag);
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
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
