import { ARAZZO_PATH } from '../../api/openapi/arazzo.ts';
import { schemaName, schemasOf } from '../../api/openapi/schemas.ts';
import type { Contract, PublishedOperation } from '../../api/operations.ts';
import { SIMULATIONS_IN_WORDS } from '../../api/sandbox/schemas.ts';
import { APIS, type Environment } from '../../core/environments.ts';
import { PAGE_SIZE } from '../../core/pets/pets.ts';
import { IDEMPOTENCY_KEY, takesIdempotencyKey } from '../../http/idempotency-key.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import type { ParameterDescription } from '../../http/operation.ts';
import { SIMULATE_HEADER } from '../../http/simulation/headers.ts';
import { DOCUMENT_PATH, YAML_DOCUMENT_PATH } from '../../http/target/served-operations.ts';
import { toolsOf } from '../../mcp/api-tools.ts';
import { MCP_PATH } from '../mcp-path.ts';
import type { ServiceFacts } from '../reference/guides/guide.ts';
import { guidesOf } from '../reference/guides/guides.ts';
import { guidePath } from '../reference/paths.ts';
import { API_CATALOG_PATH } from './api-catalog.ts';
import { document } from './markdown.ts';
import {
  type Addresses,
  addressOf,
  bodyName,
  describeSchema,
  errorTable,
  limits,
  parameterType,
  quickstart,
} from './reference-sections.ts';

type Facts = Pick<ServiceFacts, 'addresses' | 'contract'>;

/** The guide for agents (llms.txt): everything needed for a call, and links to the details. */
export function agentGuide({ addresses, contract }: Facts): string {
  const { dashboard, production, staging } = addresses;
  return document(
    '# Petstore',
    '> A JSON HTTP API that keeps animals: list them, add one, fetch one by its id.',
    [
      `Every request carries an API key: \`Authorization: Bearer <API_KEY>\`. A person makes keys at ${dashboard}/keys.`,
      `Production is at ${production}, staging at ${staging}, with keys and animals of its own, the quickstart at ${addresses.quickstart}.`,
      'Requests with a body carry `Content-Type: application/json`. Integers of format int64 are JSON numbers; JavaScript’s `JSON.parse` rounds those beyond 2^53.',
    ].join('\n'),
    '## Tools',
    `The same operations are tools of the Model Context Protocol at ${dashboard}${MCP_PATH} (streamable HTTP, without ` +
      'sessions), with the same header `Authorization: Bearer <API_KEY>`. Integers of format int64 are decimal strings ' +
      'there; `rateLimit` in each result tells what is left. The key decides which tools there are: one of ' +
      `production has ${toolNames('production', addresses, contract)}; one of staging works with staging and the quickstart, and ` +
      `has ${toolNames('staging', addresses, contract)}. Hosts that start a process run \`petstore mcp\` with ` +
      '`PETSTORE_KEY` set to the key, and the base addresses above in `PETSTORE_URL`, `PETSTORE_STAGING_URL`, ' +
      '`PETSTORE_QUICKSTART_URL` and `PETSTORE_SANDBOX_URL`. `petstore` is the program of this service: the executable ' +
      'that `npm run build` makes from its source, or `npx petstore` where its package (`npm pack`) is installed. It is in ' +
      'no registry; where you have neither, use the address above.',
    '## Operations',
    ...contract.operations.map((operation) => callOf(operation, addresses)),
    '## Fields',
    ...Object.entries(schemasOf(contract))
      // The table of errors lists its values.
      .filter(([name]) => name !== 'KnownErrorCode')
      .map(([name, schema]) => describeSchema(name, schema)),
    '## Paging',
    `The reply to ${callsWith(contract, ({ pagination }) => pagination !== undefined)} is an array of at most \`limit\` elements (${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}, ${PAGE_SIZE.default} unless given) in ascending id. ` +
      'When more follow, the reply has `Link: <address>; rel="next"`: request that address unchanged. ' +
      'A page without it is the last one. The same by hand: `after` = the id of the last element of the page.',
    '## Sending a creation again',
    `Send an \`${IDEMPOTENCY_KEY}\` of your choice with ${callsWith(contract, takesIdempotencyKey)}, a new one for each creation. When no reply ` +
      'came, send the same request again with the same key: nothing is created twice.',
    '## Errors',
    errorTable(contract),
    '## Limits',
    limits(),
    'Every reply has `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds).',
    '## Rehearsing failures',
    `The sandbox at ${addresses.sandbox}, for staging keys, moves the clock of the account, leaves few requests in a ` +
      `window, bans the key and sets simulations. A single request to ${staging} meets a simulation by the header ` +
      `\`${SIMULATE_HEADER}\`, such as \`${SIMULATE_HEADER}: unavailable;retry-after=2\`; production ignores it. ` +
      `${SIMULATIONS_IN_WORDS}`,
    '## Quickstart',
    quickstart(addresses),
    '## Details',
    details(addresses, contract),
  );
}

/** The method and path of these operations. */
function callsWith(
  { operations }: Contract,
  isMeant: (operation: PublishedOperation) => boolean,
): string {
  const meant = operations.filter(isMeant);
  return meant.map(({ method, path }) => `\`${method} ${path}\``).join(', ');
}

function toolNames(environment: Environment, addresses: Addresses, contract: Contract): string {
  const names = toolsOf(environment, addresses, contract).map(
    ({ operation }) => `\`${operation.id}\``,
  );
  return names.join(', ');
}

function callOf(operation: PublishedOperation, addresses: Addresses): string {
  const { id, method, path, summary, parameters, body, success, errors } = operation;
  const notes = lifecycleOf(operation).notes.map(({ text }) => ` ${text}`);
  return [
    `- \`${method} ${addressOf(operation, addresses)}${path}\` (${id}): ${summary}.${notes.join('')}`,
    ...parameters.map((parameter) => `  - ${parameterOf(parameter)}`),
    ...(body ? [`  - Body: ${schemaName(body)}, \`${JSON.stringify(Object(body).example)}\``] : []),
    `  - Reply: ${success.status}, ${bodyName(success)}`,
    `  - Errors: ${errors.map((code) => `\`${code}\``).join(', ')}`,
  ].join('\n');
}

function parameterOf({
  name,
  in: place,
  required,
  schema,
  description,
}: ParameterDescription): string {
  const facts = [place, required ? 'required' : 'optional', parameterType(schema)];
  return `\`${name}\` (${facts.join(', ')}): ${description}`;
}

function details(addresses: Addresses, contract: Contract): string {
  const { dashboard } = addresses;
  return [
    `- [Reference](${dashboard}/reference.md): every operation, field, header and error in one page`,
    ...APIS.map((part) => {
      const address = addresses[part];
      return `- [OpenAPI 3.1 document of ${part}](${address}${DOCUMENT_PATH}): the same for programs ([as YAML](${address}${YAML_DOCUMENT_PATH}))`;
    }),
    `- [Arazzo 1.0 document](${dashboard}${ARAZZO_PATH}): workflows that add, page and wait after a 429`,
    `- [API catalog](${dashboard}${API_CATALOG_PATH}): all of these documents (RFC 9727)`,
    ...guidesOf(contract).map(
      ({ name, title, description }) =>
        `- [${title}](${dashboard}${guidePath(name)}.md): ${description}`,
    ),
    `- [Interactive reference](${dashboard}/docs): for people, in a browser`,
  ].join('\n');
}
