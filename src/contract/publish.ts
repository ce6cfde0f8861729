import { SCHEMAS, type SchemaName } from './schemas.ts';

/**
 * The named schemas as JSON Schema 2020-12, the way other programs read them: what is a bigint
 * inside of the service is an integer of format int64, and references point into `components`.
 */
export function publishSchemas(): Record<SchemaName, unknown> {
  const text = JSON.stringify(SCHEMAS, (key, value: unknown) => {
    if (key === '$ref') return `#/components/schemas/${String(value)}`;
    if (isBigIntSchema(value)) return { ...value, type: 'integer', format: 'int64' };
    return value;
  });
  return JSON.parse(text);
}

function isBigIntSchema(value: unknown): value is { type: 'bigint' } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'bigint';
}
