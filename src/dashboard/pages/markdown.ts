import { MESSAGE_OPERATIONS } from '../../api/messages/operations.ts';
import { SCHEMAS, schemaName } from '../../api/openapi/schemas.ts';
import { OPERATIONS, type PublishedOperation } from '../../api/operations.ts';
import type { NamedSchema } from '../../api/resources.ts';
import { API_PARTS } from '../../core/environments.ts';
import { ERRORS } from '../../core/errors.ts';
import { PLAN_NAMES, PLANS } from '../../core/plans.ts';
import { HEADERS, type HeaderName, LIMIT_HEADERS } from '../../http/headers.ts';
import { DOCUMENT_PATH, YAML_DOCUMENT_PATH } from '../../http/served-operations.ts';
import type { DashboardOptions } from '../options.ts';
import { API_CATALOG_PATH } from './api-catalog.ts';

type Addresses = DashboardOptions['addresses'];

/** The guide for agents (llms.txt): purpose, quickstart and links to the details. */
export function agentGuide(addresses: Addresses): string {
  const { dashboard } = addresses;
  const operations = operationEntries().map(
    ([id, operation]) =>
      `- \`${operation.method} ${addressOf(operation, addresses)}${operation.path}\` (${id}): ` +
      `${operation.summary}.${operation.deprecation ? ` ${operation.deprecation.note}` : ''}`,
  );
  return document(
    '# Petstore',
    '> A JSON HTTP API that keeps animals: list them, add one, fetch one by its id.',
    [
      `Every request carries an API key: \`Authorization: Bearer <API_KEY>\`. A person makes keys at ${dashboard}/keys.`,
      `Production is at ${addresses.production}, staging at ${addresses.staging}, with keys and animals of its own.`,
      'Read `X-RateLimit-Remaining` on every reply; after a 429 wait for `Retry-After` seconds.',
    ].join('\n'),
    '## Operations',
    operations.join('\n'),
    '## Quickstart',
    quickstart(addresses),
    '## Details',
    [
      `- [Reference](${dashboard}/reference.md): every operation, field, header and error in one page`,
      ...API_PARTS.map(
        (part) =>
          `- [OpenAPI 3.1 document of ${part}](${addresses[part]}${DOCUMENT_PATH}): the same for programs ([as YAML](${addresses[part]}${YAML_DOCUMENT_PATH}))`,
      ),
      `- [API catalog](${dashboard}${API_CATALOG_PATH}): all of these documents (RFC 9727)`,
      `- [Interactive reference](${dashboard}/docs): for people, in a browser`,
    ].join('\n'),
  );
}

/** The whole API reference as Markdown, from the data that the service runs on. */
export function referenceMarkdown(addresses: Addresses): string {
  return document(
    '# Petstore API reference',
    'Version 1.0.0. Requests and replies are JSON (`application/json`).',
    '## Base addresses',
    table(
      ['For', 'Address'],
      [
        ['Production', addresses.production],
        ['Staging: separate animals and keys', addresses.staging],
        ['Quickstart: takes keys of either environment', addresses.quickstart],
      ],
    ),
    '## Authentication',
    `Every operation needs an API key in the header \`Authorization: Bearer <API_KEY>\`. Make an account and a key at ${addresses.dashboard}.`,
    '## Quickstart',
    quickstart(addresses),
    '## Operations',
    ...operationEntries().map(([id, operation]) => describeOperation(id, operation, addresses)),
    '## Fields',
    ...Object.entries(SCHEMAS).map(([name, schema]) => describeSchema(name, schema)),
    '## Errors',
    'Every 4xx and 5xx reply has the body `Error`: exactly `code`, `message` and `status`.',
    table(
      ['Code', 'Status', 'Meaning'],
      Object.entries(ERRORS).map(([code, { status, meaning }]) => [`\`${code}\``, status, meaning]),
    ),
    '## Limits',
    limits(),
    '## Reply headers',
    table(
      ['Header', 'Meaning', 'Example'],
      Object.entries(HEADERS).map(([name, { description, example }]) => [
        `\`${name}\``,
        description,
        `\`${example}\``,
      ]),
    ),
  );
}

function describeOperation(
  id: string,
  operation: PublishedOperation,
  addresses: Addresses,
): string {
  const { method, path, parameters, body, success, errors, deprecation } = operation;
  const headers: readonly HeaderName[] = [...LIMIT_HEADERS, ...(success.headers ?? [])];
  return document(
    `### ${id}: ${operation.summary}`,
    `\`${method} ${addressOf(operation, addresses)}${path}\``,
    operation.description,
    deprecation ? `**${deprecation.note}**` : '',
    parameters.length === 0
      ? 'Parameters: none.'
      : table(
          ['Parameter', 'In', 'Required', 'Schema', 'Description'],
          parameters.map(({ name, in: place, required, schema, description }) => [
            `\`${name}\``,
            place,
            required ? 'yes' : 'no',
            `\`${JSON.stringify(schema)}\``,
            description,
          ]),
        ),
    body ? `Request body: ${schemaName(body)}.` : 'Request body: none.',
    `Success: ${success.status}, ${schemaName(success.schema)}. ${success.description}`,
    fenced('json', JSON.stringify(success.example, undefined, 2)),
    `Headers of the reply: ${headers.map((name) => `\`${name}\``).join(', ')}.`,
    `Errors: ${errors.map((code) => `\`${code}\` (${ERRORS[code].status})`).join(', ')}.`,
  );
}

function describeSchema(name: string, { description, properties, required, ...rest }: NamedSchema) {
  const rows = Object.entries(properties ?? {}).map(([field, schema]) => [
    `\`${field}\``,
    typeOf(schema),
    required?.includes(field) ? 'yes' : 'no',
    schema.description,
  ]);
  return document(
    `### ${name}`,
    `${description} (${typeOf({ description, ...rest })})`,
    rows.length > 0 ? table(['Field', 'Type', 'Required', 'Description'], rows) : '',
  );
}

function typeOf({ type = '', anyOf, format, enum: values }: NamedSchema): string {
  if (anyOf) return [...new Set(anyOf.map((each) => each.type))].join(' or ');
  if (values) return `${type}: ${values.map((value) => `\`${value}\``).join(', ')}`;
  if (type === 'bigint') return 'integer (int64)';
  return format ? `${type} (${format})` : type;
}

function quickstart(addresses: Addresses): string {
  const { method, path, success } = MESSAGE_OPERATIONS.sendMessage;
  return document(
    'Send one message; the reply is 202, and the message appears in the inbox of the dashboard.',
    fenced(
      'sh',
      [
        `curl -X ${method} ${addresses.quickstart}${path} \\`,
        '  -H "Authorization: Bearer <API_KEY>" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify(MESSAGE_OPERATIONS.sendMessage.body.example)}'`,
      ].join('\n'),
    ),
    fenced('json', JSON.stringify(success.example, undefined, 2)),
  );
}

function limits(): string {
  const rows = PLAN_NAMES.map((plan) => {
    const { title, limits } = PLANS[plan];
    const numbers = limits ? [limits.perMinute, limits.perDay] : ['Custom', 'Custom'];
    return [title, ...numbers.map((number) => number.toLocaleString('en'))];
  });
  return document(
    'Limits belong to the account, in each environment. Days are UTC days.',
    table(['Plan', 'Requests per minute', 'Requests per day'], rows),
    'Past a limit the reply is 429 with `Retry-After` in seconds: wait that long, and back off ' +
      'exponentially if it happens again. A key that keeps sending requests is banned for a while.',
  );
}

function operationEntries(): Array<[string, PublishedOperation]> {
  return Object.entries(OPERATIONS);
}

function addressOf({ tag }: PublishedOperation, addresses: Addresses): string {
  return tag === 'Quickstart' ? addresses.quickstart : addresses.production;
}

function document(...blocks: string[]): string {
  return `${blocks
    .filter((block) => block !== '')
    .map((block) => block.trimEnd())
    .join('\n\n')}\n`;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function table(titles: readonly string[], rows: ReadonlyArray<ReadonlyArray<string | number>>) {
  const line = (cells: ReadonlyArray<string | number>) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A cell is one line; a vertical bar in it is escaped. */
function cell(value: string | number): string {
  return String(value).replaceAll('\n\n', ' ').replaceAll('\n', ' ').replaceAll('|', '\\|');
}
