import type { ApiName } from '../../core/environments.ts';
import { PLAN_NAMES, PLANS } from '../../core/limits/plans.ts';
import { CONTRACT } from '../all-operations.ts';
import type { Contract } from '../operations.ts';
import type { NamedSchema } from '../resources.ts';
import { HeaderComponents } from './header-components.ts';
import { operationObject } from './operation-object.ts';
import { publish, publishSchemas } from './schemas.ts';
import { withSimulateParameter } from './simulate-parameter.ts';

type Json = Record<string, unknown>;

interface DescribedResource {
  readonly tag: string;
  readonly description: string;
  readonly schemas: Readonly<Record<string, NamedSchema>>;
}

/** Where an API is served and documented; without trailing slashes. */
export interface DocumentAddresses {
  readonly baseUrl: string;
  readonly dashboard: string;
  /** The e-mail or web address of those who run the service. */
  readonly contact: string | undefined;
}

const QUICKSTART_ABOUT = {
  title: 'Petstore quickstart',
  summary: 'Sends a first message over a JSON HTTP API.',
  purpose: 'Send a message to the inbox of your account.',
  keys: 'An API key of either environment',
};
const PETS_ABOUT = {
  title: 'Petstore',
  summary: 'Manages animals over a JSON HTTP API.',
  purpose: 'List, add and fetch animals.',
  keys: 'An API key of the environment',
};
const SANDBOX_ABOUT = {
  title: 'Petstore sandbox',
  summary: 'Sets what an account meets in staging, over a JSON HTTP API.',
  purpose:
    'Try in staging what seldom happens: move the time of your account, leave one request in a ' +
    'window, ban the key. Requests to the sandbox do not count towards the plan; 600 a minute are served.',
  keys: 'A staging key',
};

/** The description of each base address in its document. */
const ABOUT = {
  production: { ...PETS_ABOUT, server: 'Production' },
  staging: { ...PETS_ABOUT, server: 'Staging: separate animals and keys' },
  quickstart: { ...QUICKSTART_ABOUT, server: 'Quickstart: takes keys of either environment' },
  sandbox: { ...SANDBOX_ABOUT, server: 'The sandbox of staging: takes staging keys' },
} as const satisfies Record<ApiName, object>;

/**
 * The OpenAPI 3.1 document of one base address, generated from the data that the service itself uses.
 * Generators ignore the servers of an operation and variables in a server's address, so the document has one
 * server with a literal address.
 */
export function openapiDocument(
  name: ApiName,
  addresses: DocumentAddresses,
  contract: Contract = CONTRACT,
): Json {
  const { title, summary, purpose, keys, server } = ABOUT[name];
  const resources: readonly DescribedResource[] = contract.resources[name];
  const { baseUrl, dashboard, contact } = addresses;
  const documentation = `${dashboard}/docs`;
  const headers = new HeaderComponents({ baseUrl, documentation });
  const tags = resources.map(({ tag: name, description }) => ({ name, description }));
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      summary,
      description: introduction(purpose),
      ...(contact !== undefined && { contact: contactObject(contact) }),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: server }],
    security: [{ apiKey: [] }],
    tags,
    externalDocs: { description: 'The API reference, with try-it', url: documentation },
    paths: pathsOf(name, contract, headers, baseUrl),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: `${keys}: \`Authorization: Bearer <API_KEY>\`.`,
        },
      },
      schemas: publishSchemas(resources, contract.errorCodes),
      headers: headers.components,
    },
  };
}

/** The operations of a base address, by path. */
function pathsOf(
  name: ApiName,
  contract: Contract,
  headers: HeaderComponents,
  baseUrl: string,
): unknown {
  const byPath: Record<string, Json> = {};
  for (const published of contract.operationsOf(name)) {
    const operation = name === 'staging' ? withSimulateParameter(published) : published;
    byPath[operation.path] = {
      ...byPath[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation, headers, baseUrl),
    };
  }
  return publish(byPath);
}

function contactObject(contact: string): Json {
  const address = URL.canParse(contact) ? { url: contact } : { email: contact };
  return { name: 'The operators of this service', ...address };
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
    'Do not cache replies (`Cache-Control: no-store`), except those to GET with an `ETag`, which a client may ' +
      'store and revalidate. Do not guess their media type (`X-Content-Type-Options: nosniff`). Large ' +
      'replies are compressed for clients that accept it (`Vary: Accept-Encoding`). Pages of any origin ' +
      'may read replies (CORS); the preflight that a browser sends needs no key and does not count.',
  ].join('\n');
}
