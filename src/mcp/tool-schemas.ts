import { ApiError } from '../core/errors.ts';
import { parseInt64, toInt64 } from '../lib/int64.ts';

/*
 * Schemas and values in the form of tools: every int64 is a decimal string, because hosts read JSON with
 * parsers that round integers beyond 2^53.
 */

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as this text: a JSON number of any length. */
    rawJSON(text: string): unknown;
  }
}

/** An int64 in the arguments and results of tools. */
const DECIMAL = '^-?(0|[1-9][0-9]{0,18})$';

/** A whole number of any size. */
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;

/** Keywords for the OpenAPI document, which are not part of JSON Schema. */
const DOCUMENT_KEYWORD = /^(?:example$|x-)/;

/** A schema of the contract as JSON Schema 2020-12 for a tool. */
export function toolSchema(schema: unknown): Readonly<Record<string, unknown>> {
  if (isInt64(schema)) {
    const { description } = schema;
    const text = [description, 'Written as a decimal string.'].filter(Boolean).join(' ');
    return { type: 'string', pattern: DECIMAL, description: text };
  }
  const keywords = Object.entries(Object(schema)).filter(([name]) => !DOCUMENT_KEYWORD.test(name));
  return Object.fromEntries(
    keywords.map(([name, value]) => [name, convertKeyword(name, value)] as const),
  );
}

function convertKeyword(name: string, value: unknown): unknown {
  if (name === 'items') return toolSchema(value);
  if (name === 'anyOf' && Array.isArray(value)) return value.map(toolSchema);
  if (name !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(Object(value)).map(([property, schema]) => [property, toolSchema(schema)]),
  );
}

/**
 * Converts an argument to the form of the contract. Invalid values are passed on for the API to refuse.
 * @throws ApiError `invalid_parameter` for a number that was rounded when it was parsed.
 */
export function fromToolValue(value: unknown, schema: unknown): unknown {
  if (isInt64(schema)) return fromDecimal(value);
  return mapParts(value, schema, fromToolValue);
}

/**
 * Converts a value of a reply to the form of a tool.
 * @param value as parsed by `parseStrictJson`; integers without a schema become numbers if these are exact.
 */
export function toToolValue(value: unknown, schema?: unknown): unknown {
  if (typeof value !== 'bigint') return mapParts(value, schema, toToolValue);
  const number = isInt64(schema) ? value : toInt64(value);
  return typeof number === 'bigint' ? String(number) : number;
}

function fromDecimal(value: unknown): unknown {
  if (typeof value === 'string') {
    const integer = parseInt64(value);
    if (integer !== undefined) return JSON.rawJSON(String(integer));
    // Without quotes, the API refuses it because of its size.
    return WHOLE_NUMBER.test(value) ? JSON.rawJSON(value) : value;
  }
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const message = `${value} may be rounded. Send integers beyond 2^53 as decimal strings.`;
  throw new ApiError('invalid_parameter', message);
}

function mapParts(
  value: unknown,
  schema: unknown,
  convert: (part: unknown, schema: unknown) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { items, properties = {} } = Object(schema);
  if (Array.isArray(value)) return value.map((item) => convert(item, items));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      convert(part, Object.hasOwn(properties, name) ? properties[name] : undefined),
    ]),
  );
}

function isInt64(schema: unknown): schema is { readonly description?: string } {
  const { type, format } = Object(schema);
  return type === 'bigint' || format === 'int64';
}
