import { schemaName, schemasOf } from '../../api/openapi/schemas.ts';
import type { PublishedOperation } from '../../api/operations.ts';
import { ERRORS } from '../../core/errors.ts';
import {
  HEADER_NAMES,
  HEADERS,
  REQUEST_HEADERS,
  SIMULATED_REPLY_HEADERS,
} from '../../http/headers.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import type { ServiceFacts } from '../reference/guides/guide.ts';
import { linkedBelow } from '../reference/prose.ts';
import { document, fenced, table } from './markdown.ts';
import {
  type Addresses,
  addressOf,
  bodyName,
  describeSchema,
  errorTable,
  headerExample,
  limits,
  parameterType,
  quickstart,
  replyHeaders,
} from './reference-sections.ts';

/** The whole API reference as Markdown, generated from the data that the service runs on. */
export function referenceMarkdown({
  addresses,
  contract,
}: Pick<ServiceFacts, 'addresses' | 'contract'>): string {
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
        ['Sandbox of staging: takes staging keys', addresses.sandbox],
      ],
    ),
    '## Authentication',
    `Every operation needs an API key in the header \`Authorization: Bearer <API_KEY>\`. Make an account and a key at ${addresses.dashboard}.`,
    '## Quickstart',
    quickstart(addresses),
    '## Operations',
    ...contract.operations.map((operation) => describeOperation(operation, addresses)),
    '## Fields',
    ...Object.entries(schemasOf(contract)).map(([name, schema]) => describeSchema(name, schema)),
    '## Errors',
    'Every 4xx and 5xx reply has the body `Error`. A later 1.x may add codes.',
    errorTable(contract),
    '## Limits',
    limits(),
    '## Reply headers',
    table(
      ['Header', 'Meaning', 'Example'],
      [
        ...HEADER_NAMES.map((name) => ({
          name,
          description: HEADERS[name].description,
          example: headerExample(name, addresses),
        })),
        ...SIMULATED_REPLY_HEADERS,
      ].map(({ name, description, example }) => [`\`${name}\``, description, `\`${example}\``]),
    ),
    '## Request headers',
    table(
      ['Header', 'Meaning'],
      REQUEST_HEADERS.map(({ name, description }) => [
        `\`${name}\``,
        linkedBelow(description, addresses.dashboard),
      ]),
    ),
  );
}

/** One operation as Markdown. */
export function describeOperation(operation: PublishedOperation, addresses: Addresses): string {
  const { id, method, path, parameters, body, isBodyOptional, success, errors } = operation;
  return document(
    `### ${id}: ${operation.summary}`,
    `\`${method} ${addressOf(operation, addresses)}${path}\``,
    operation.description,
    ...lifecycleOf(operation).notes.map(({ text }) => `**${text}**`),
    parameters.length === 0
      ? 'Parameters: none.'
      : table(
          ['Parameter', 'In', 'Required', 'Type', 'Description'],
          parameters.map(({ name, in: place, required, schema, description }) => [
            `\`${name}\``,
            place,
            required ? 'yes' : 'no',
            parameterType(schema),
            description,
          ]),
        ),
    body
      ? `Request body: ${schemaName(body)}${isBodyOptional ? ', optional' : ''}.`
      : 'Request body: none.',
    `Success: ${success.status}, ${bodyName(success)}. ${success.description}`,
    success.schema ? fenced('json', JSON.stringify(success.example, undefined, 2)) : '',
    `Headers of the reply: ${replyHeaders(operation)
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
    `Errors: ${errors.map((code) => `\`${code}\` (${ERRORS[code].status})`).join(', ')}.`,
  );
}
