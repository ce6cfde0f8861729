import type { TLocalizedValidationError } from 'typebox/error';
import { Compile, type XSchema } from 'typebox/schema';
import { ApiError, messageFor } from '../../core/errors.ts';
import { type Int64, parseInt64, toInt64 } from '../../lib/int64.ts';
import { shownName } from '../../lib/shown-name.ts';
import { type Expectations, expectationsOf } from './expectations.ts';
import { isBlank, ruleOf } from './text-field.ts';

const NUMERIC_TYPES: ReadonlySet<string> = new Set(['integer', 'number', 'bigint']);

/**
 * Makes a parser for request bodies from the schema of an object, which is compiled immediately.
 * @param schema with `additionalProperties: false` unknown fields are refused. A property of type `integer`
 *   or `number` arrives as a number, one of type `bigint` as an exact bigint.
 * @param described expectations by field that the schema does not express, such as a pattern other than that of
 *   `textField`.
 * @returns a function that throws ApiError `invalid_body`, naming the field.
 */
export function bodyParser<const Schema extends XSchema>(
  schema: Schema,
  described: Expectations = {},
) {
  const expectations = { ...expectationsOf(schema), ...described };
  const validator = Compile(schema);
  const numeric = numericProperties(schema);
  const textFields = textFieldsOf(schema);
  return (body: unknown) => {
    for (const [name, convert] of numeric) convertInPlace(body, name, convert);
    if (!validator.Check(body)) {
      const [, [error]] = validator.Errors(body);
      throw invalidBody(error, expectations, body);
    }
    const broken = Object.entries(Object(body)).find(([field, value]) => {
      if (typeof value !== 'string' || !Object.hasOwn(expectations, field)) return false;
      // A lone surrogate is not Unicode text, and could not be returned as it was sent.
      return !value.isWellFormed() || (textFields.has(field) && isBlank(value));
    });
    if (broken) throw invalidField(broken[0], expectations);
    return body;
  };
}

function invalidBody(
  error: TLocalizedValidationError | undefined,
  expectations: Expectations,
  body: unknown,
) {
  if (error?.instancePath === '' && error.keyword === 'type') {
    return new ApiError('invalid_body', 'The body must be a JSON object.');
  }
  if (error?.instancePath === '' && error.keyword === 'minProperties') {
    return new ApiError('invalid_body', noField(expectations));
  }
  const missing = error?.keyword === 'required' ? error.params.requiredProperties[0] : undefined;
  if (missing) return new ApiError('invalid_body', missingField(missing, expectations));
  const field = fieldOf(error?.instancePath ?? '');
  if (Object.hasOwn(expectations, field)) {
    const hint = isQuotedInteger(error, Object(body)[field]) ? ', not in quotes' : '';
    return invalidField(field, expectations, hint);
  }
  const known = Object.keys(expectations).join(', ');
  return new ApiError('invalid_body', `${shownName(field)} is not a field here. Use: ${known}.`, {
    withoutBody: `A member of the body is not a field here. Use: ${known}.`,
  });
}

function invalidField(field: string, expectations: Expectations, hint = ''): ApiError {
  return new ApiError('invalid_body', `"${field}" must be ${expectations[field]}${hint}.`);
}

/** Whether the error is that a field must be a number, and its value is the text of an integer. */
function isQuotedInteger(error: TLocalizedValidationError | undefined, value: unknown): boolean {
  if (error?.keyword !== 'type' || typeof value !== 'string') return false;
  const isNumeric = [error.params.type].flat().some((type) => NUMERIC_TYPES.has(type));
  return isNumeric && parseInt64(value) !== undefined;
}

function missingField(field: string, expectations: Expectations): string {
  return messageFor('invalid_body', { field, expectation: expectations[field] ?? 'it' });
}

/** The message of the error when a body is an object without any field. */
export function emptyBodyMessage(schema: XSchema, described: Expectations = {}): string {
  const required: readonly string[] = Object(schema).required ?? [];
  const expectations = { ...expectationsOf(schema), ...described };
  const [first] = required;
  if (first !== undefined) return missingField(first, expectations);
  return noField(expectations);
}

function noField(expectations: Expectations): string {
  return `Send at least one of: ${Object.keys(expectations).join(', ')}.`;
}

/** The properties that are JSON numbers, each with the function that converts its bigint. */
function numericProperties(schema: XSchema): Array<readonly [string, (value: bigint) => Int64]> {
  const properties: Readonly<Record<string, { type?: unknown }>> = Object(schema).properties ?? {};
  return Object.entries(properties).flatMap(([name, { type }]) => {
    if (type === 'integer') return [[name, toInt64]];
    return type === 'number' ? [[name, Number]] : [];
  });
}

/** The properties that `textField` describes. */
function textFieldsOf(schema: XSchema): ReadonlySet<string> {
  const properties: Readonly<Record<string, { pattern?: string }>> =
    Object(schema).properties ?? {};
  const names = Object.keys(properties);
  return new Set(names.filter((name) => ruleOf(properties[name]?.pattern) !== undefined));
}

/** The strict JSON parser makes every integer a bigint; this converts it to the type of the schema. */
function convertInPlace(body: unknown, name: string, convert: (value: bigint) => Int64): void {
  if (typeof body !== 'object' || body === null) return;
  const value: unknown = Reflect.get(body, name);
  if (typeof value === 'bigint') Reflect.set(body, name, convert(value));
}

/** The top-level field that a JSON Pointer (RFC 6901) leads through. */
function fieldOf(pointer: string): string {
  return (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}
