import { SCHEMAS } from './schemas.ts';

const NAMES = new Map<unknown, string>(
  Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]),
);

/**
 * The named schemas as JSON Schema 2020-12, the way other programs read them: a named schema inside
 * of another is a reference into `components`, and what is a bigint inside of the service is an
 * integer of format int64.
 */
export function publishSchemas(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [name, publish(schema)]),
  );
}

function publish(schema: unknown): unknown {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    const name = key === '' ? undefined : NAMES.get(value);
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
    if (isBigIntSchema(value)) return { ...value, type: 'integer', format: 'int64' };
    return value;
  });
  return JSON.parse(text);
}

function isBigIntSchema(value: unknown): value is { type: 'bigint' } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'bigint';
}
