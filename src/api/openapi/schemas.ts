import type { XSchema } from 'typebox/schema';
import type { ErrorCode } from '../../core/errors.ts';
import { ERROR_CODES, explainErrors } from '../error-catalogue.ts';
import type { Contract } from '../operations.ts';
import { type NamedSchema, RESOURCES } from '../resources.ts';

/** Generators turn this schema into constants. */
const KnownErrorCode = knownErrorCode(ERROR_CODES);

function knownErrorCode(codes: readonly ErrorCode[]) {
  const list = explainErrors(codes).map(
    ({ code, status, meaning }) => `- \`${code}\` (${status}): ${meaning}`,
  );
  return {
    type: 'string',
    enum: codes,
    description: `Error codes that this version knows.\n\n${list.join('\n')}`,
  } as const;
}

export const ErrorBody = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      // Open: a later 1.x may add codes, and readers must accept them. For an `anyOf` of the enum and any
      // string, some generators make an empty type, which can read no reply. `$defs` only makes the enum
      // available.
      type: 'string',
      $defs: { known: KnownErrorCode },
      description:
        'Machine-readable error code: one of `KnownErrorCode`; later versions may add codes.',
    },
    message: { type: 'string', description: 'Human-readable description; says what to do next.' },
    status: {
      type: 'integer',
      description: 'The HTTP status code.',
      minimum: 400,
      maximum: 599,
    },
  },
  description: 'The body of every 4xx and 5xx reply. Later versions may add fields.',
} as const;

const ERROR_SCHEMAS = { Error: ErrorBody, KnownErrorCode };

/** The schemas of errors in a service whose replies may have these codes. */
function errorSchemas(codes: readonly ErrorCode[]): typeof ERROR_SCHEMAS {
  return { Error: ErrorBody, KnownErrorCode: knownErrorCode(codes) };
}

/** The named schemas of the contract, by their names in the OpenAPI document. */
export const SCHEMAS: Readonly<Record<string, NamedSchema>> = {
  ...Object.fromEntries(RESOURCES.flatMap(({ schemas }) => Object.entries(schemas))),
  ...ERROR_SCHEMAS,
};

const NAMES = new Map<unknown, string>(
  Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]),
);

/**
 * The named schemas of these resources, and those of errors, as JSON Schema 2020-12 for the OpenAPI document:
 * a named schema inside another becomes a reference into `components`, and a bigint becomes an integer
 * of format int64.
 * @param codes the error codes that replies may have.
 */
export function publishSchemas(
  resources: ReadonlyArray<{ readonly schemas: Readonly<Record<string, NamedSchema>> }>,
  codes: readonly ErrorCode[],
): Record<string, unknown> {
  const schemas = resources.flatMap((resource) => Object.entries(resource.schemas));
  return Object.fromEntries(
    [...schemas, ...Object.entries(errorSchemas(codes))].map(([name, schema]) => [
      name,
      publish(schema),
    ]),
  );
}

/** The named schemas that the operations of a contract use, and those of errors, by name. */
export function schemasOf({
  resources,
  errorCodes,
}: Contract): Readonly<Record<string, NamedSchema>> {
  const { production, quickstart, sandbox } = resources;
  const described = [...production, ...quickstart, ...sandbox];
  return {
    ...Object.fromEntries(described.flatMap(({ schemas }) => Object.entries(schemas))),
    ...errorSchemas(errorCodes),
  };
}

/** A schema in the form of the document. */
export function publish(schema: unknown): unknown {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    const name = key === '' ? undefined : NAMES.get(value);
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
    if (isBigIntSchema(value)) return { ...value, type: 'integer', format: 'int64' };
    return value;
  });
  return JSON.parse(text);
}

/** The name of a schema in the OpenAPI document. @throws Error for a schema that no resource lists. */
export function schemaName(schema: XSchema): string {
  const name = NAMES.get(schema);
  if (name === undefined)
    throw new Error('A schema of an operation is missing from the schemas of its resource.');
  return name;
}

function isBigIntSchema(value: unknown): value is { type: 'bigint' } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'bigint';
}
