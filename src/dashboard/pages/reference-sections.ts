import { OPERATIONS } from '../../api/all-operations.ts';
import { explainErrors } from '../../api/error-catalogue.ts';
import { MessageInput } from '../../api/messages/schemas.ts';
import { schemaName } from '../../api/openapi/schemas.ts';
import type { Contract, PublishedOperation } from '../../api/operations.ts';
import type { NamedSchema } from '../../api/resources.ts';
import { PLAN_NAMES, PLANS } from '../../core/limits/plans.ts';
import {
  EVERY_REPLY_HEADERS,
  EXAMPLE_BASE_URL,
  HEADERS,
  type HeaderName,
} from '../../http/headers.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import type { ParameterDescription, Success } from '../../http/operation.ts';
import type { DashboardOptions } from '../options.ts';
import { document, fenced, table } from './markdown.ts';

/* Sections that the reference and the guide for agents share, generated from the data that the
   service runs on. */

export type Addresses = DashboardOptions['addresses'];

/** A named schema with its fields. */
export function describeSchema(
  name: string,
  { description, properties, required, ...rest }: NamedSchema,
) {
  const rows = Object.entries(properties ?? {}).map(([field, schema]) => [
    `\`${field}\``,
    typeOf(schema),
    required?.includes(field) ? 'yes' : 'no',
    schema.description,
  ]);
  return document(
    `### ${name}`,
    `${description} (${typeOf(rest)})`,
    rows.length > 0 ? table(['Field', 'Type', 'Required', 'Description'], rows) : '',
  );
}

function typeOf({ type, format, enum: values }: Pick<NamedSchema, 'type' | 'format' | 'enum'>) {
  if (values) return `${type}: ${values.map((value) => `\`${value}\``).join(', ')}`;
  if (type === 'bigint') return 'integer (int64)';
  const name = [type].flat().join(' or ');
  return format ? `${name} (${format})` : name;
}

/** The type of a parameter, its bounds and its default. */
export function parameterType(schema: ParameterDescription['schema']): string {
  const { type, format, enum: values, minimum, maximum, minLength, maxLength } = schema;
  const facts: ReadonlyArray<readonly [isGiven: boolean, text: string]> = [
    [true, `${type}`],
    [format !== undefined, `${format}`],
    [Array.isArray(values), `one of ${[values].flat().join(', ')}`],
    [maximum !== undefined, `${minimum} to ${maximum}`],
    [maxLength !== undefined, `${minLength} to ${maxLength} characters`],
    ['default' in schema, `default ${schema['default']}`],
  ];
  return facts.flatMap(([isGiven, text]) => (isGiven ? [text] : [])).join(', ');
}

/** A first request, and its reply. */
export function quickstart(addresses: Addresses): string {
  const { method, path, success } = OPERATIONS.sendMessage;
  return document(
    'Send one message; the reply is 202, and the message appears in the inbox of the dashboard.',
    fenced(
      'sh',
      [
        `curl -X ${method} ${addresses.quickstart}${path} \\`,
        '  -H "Authorization: Bearer <API_KEY>" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify(MessageInput.example)}'`,
      ].join('\n'),
    ),
    fenced('json', JSON.stringify(success.example, undefined, 2)),
  );
}

/** The limits of each plan. */
export function limits(): string {
  return document(
    'Limits belong to the account, in each environment. Days are UTC days.',
    plans(),
    'Past a limit the reply is 429 with `Retry-After` in seconds: wait that long, and back off ' +
      'exponentially if it happens again. A key that keeps sending requests is banned for a while.',
  );
}

/** The plans with their limits, as a table. */
export function plans(): string {
  const rows = PLAN_NAMES.map((plan) => {
    const { title, limits } = PLANS[plan];
    const numbers = limits ? [limits.perMinute, limits.perDay] : ['Custom', 'Custom'];
    return [title, ...numbers.map((number) => number.toLocaleString('en'))];
  });
  return table(['Plan', 'Requests per minute', 'Requests per day'], rows);
}

/** The schema of the body of a reply, as text. */
export function bodyName({ schema }: Success): string {
  return schema ? schemaName(schema) : 'no body';
}

/** The base address of an operation; production's if both environments serve it. */
export function addressOf({ tag }: PublishedOperation, addresses: Addresses): string {
  if (tag === 'Quickstart') return addresses.quickstart;
  return tag === 'Sandbox' ? addresses.sandbox : addresses.production;
}

/** Every error code with its status, its meaning and its remedy. */
export function errorTable({ errorCodes }: Contract): string {
  return table(
    ['Code', 'Status', 'Meaning', 'What to do'],
    explainErrors(errorCodes).map(({ code, status, meaning, cure }) => [
      `\`${code}\``,
      status,
      meaning,
      cure,
    ]),
  );
}

/**
 * An example of a header of replies, with the addresses of the service.
 * @param operation whose reply has it, if it is one.
 */
export function headerExample(
  name: HeaderName,
  addresses: Addresses,
  operation?: PublishedOperation,
): string {
  const ofOperation = operation && operationHeader(name, addresses, operation);
  if (ofOperation !== undefined) return ofOperation;
  return String(HEADERS[name].example).replace(EXAMPLE_BASE_URL, addresses.production);
}

/** The header as this operation sends it, where that depends on the operation. */
function operationHeader(
  name: HeaderName,
  addresses: Addresses,
  operation: PublishedOperation,
): string | undefined {
  const baseUrl = addressOf(operation, addresses);
  if (name === 'Location') return `${baseUrl}${operation.path}/1`;
  return lifecycleOf(operation).sent({ baseUrl, documentation: `${addresses.dashboard}/docs` })[
    name
  ];
}

/** The headers of a successful reply of an operation. */
export function replyHeaders(operation: PublishedOperation): readonly HeaderName[] {
  const own = operation.success.headers ?? [];
  return [...EVERY_REPLY_HEADERS, ...own, ...lifecycleOf(operation).headers];
}
