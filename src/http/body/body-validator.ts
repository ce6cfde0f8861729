import { Check, Compile, type XSchema } from 'typebox/schema';
import { ApiError, messageFor } from '../../core/errors.ts';
import { type Int64, parseInt64, toInt64 } from '../../lib/int64.ts';
import { type Expectations, expectationsOf } from './expectations.ts';
import { invalidFields, problemsMessage } from './field-problems.ts';
import { isBlank, ruleOf } from './text-field.ts';

const NUMERIC_TYPES: ReadonlySet<unknown> = new Set(['integer', 'number', 'bigint']);

/** As much of the schema of an object as the messages about its fields need. */
interface ObjectSchema {
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
}

interface PropertySchema {
  readonly type?: unknown;
  readonly pattern?: string;
}

/** What else a value that fits the schema must be, by field: returns the problem as a clause, if there is one. */
export type FieldChecks = Readonly<Record<string, (value: unknown) => string | undefined>>;

/**
 * Makes a parser for request bodies from the schema of an object, which is compiled immediately.
 * @param schema with `additionalProperties: false` unknown fields are refused. A property of type `integer`
 *   or `number` arrives as a number, one of type `bigint` as an exact bigint.
 * @param described expectations by field that the schema does not express, such as a pattern other than that of
 *   `textField`.
 * @param checks made only where the schema refuses the body, so that the error names these fields, too. The handler
 *   checks them in all other bodies.
 * @returns a function that throws ApiError `invalid_body`, which names all invalid fields.
 */
export function bodyParser<const Schema extends XSchema>(
  schema: Schema,
  described: Expectations = {},
  checks: FieldChecks = {},
) {
  const validator = Compile(schema);
  const fields = fieldsOf(schema, described, checks);
  const numeric = numericFields(fields);
  return (body: unknown) => {
    for (const [name, convert] of numeric) convertInPlace(body, name, convert);
    if (!validator.Check(body) || fields.some((field) => isBroken(field, Object(body)[field.name])))
      throw invalidBody(schema, fields, body);
    return body;
  };
}

/** A field of a body. */
interface Field {
  readonly name: string;
  readonly schema: PropertySchema;
  readonly isRequired: boolean;
  /** Whether `textField` describes it. */
  readonly isText: boolean;
  /** What it must be, in words. */
  readonly expectation: string;
  readonly check: FieldChecks[string] | undefined;
}

/** The fields of an object, in the order of its schema. */
function fieldsOf(schema: XSchema, described: Expectations, checks: FieldChecks = {}): Field[] {
  const { properties = {}, required = [] }: ObjectSchema = Object(schema);
  const expectations = { ...expectationsOf(schema), ...described };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.includes(name),
    isText: ruleOf(property.pattern) !== undefined,
    expectation: expectations[name] ?? 'a valid value',
    check: checks[name],
  }));
}

/** Whether a text of the type that the schema requires is no text of this field. */
function isBroken({ isText }: Field, value: unknown): boolean {
  // A lone surrogate is not Unicode text, and could not be returned as it was sent.
  return typeof value === 'string' && (!value.isWellFormed() || (isText && isBlank(value)));
}

function invalidBody(schema: XSchema, fields: readonly Field[], body: unknown): ApiError {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return new ApiError('invalid_body', 'The body must be a JSON object.');
  }
  const sent = new Map<string, unknown>(Object.entries(body));
  const problems = fields.flatMap((field) => problemOf(field, sent) ?? []);
  const { additionalProperties }: ObjectSchema = Object(schema);
  const known = fields.map(({ name }) => name);
  const unknown =
    additionalProperties === false ? [...sent.keys()].filter((name) => !known.includes(name)) : [];
  if (problems.length + unknown.length === 0) return new ApiError('invalid_body', noField(fields));
  return invalidFields(problems, { unknown, known });
}

function problemOf(field: Field, sent: ReadonlyMap<string, unknown>): string | undefined {
  const { name, schema, isRequired, expectation, check } = field;
  if (!sent.has(name)) return isRequired ? missingField(field) : undefined;
  const value = sent.get(name);
  if (Check(Object(schema), value) && !isBroken(field, value)) return check?.(value);
  const hint = isQuotedInteger(schema, value) ? ', not in quotes' : '';
  return `"${name}" must be ${expectation}${hint}`;
}

/** Whether a field must be a number, and its value is the text of an integer. */
function isQuotedInteger({ type }: PropertySchema, value: unknown): boolean {
  if (typeof value !== 'string' || parseInt64(value) === undefined) return false;
  return [type].flat().some((each) => NUMERIC_TYPES.has(each));
}

function missingField({ name, expectation }: Field): string {
  return messageFor('invalid_body', { field: name, expectation }).replace(/\.$/, '');
}

/** The message of the error when a body is an object without any field. */
export function emptyBodyMessage(schema: XSchema, described: Expectations = {}): string {
  const fields = fieldsOf(schema, described);
  const required = fields.filter(({ isRequired }) => isRequired);
  return required.length > 0 ? problemsMessage(required.map(missingField)) : noField(fields);
}

function noField(fields: readonly Field[]): string {
  return `Send at least one of: ${fields.map(({ name }) => name).join(', ')}.`;
}

/** The fields that are JSON numbers, each with the function that converts its bigint. */
function numericFields(
  fields: readonly Field[],
): Array<readonly [string, (value: bigint) => Int64]> {
  return fields.flatMap(({ name, schema: { type } }) => {
    if (type === 'integer') return [[name, toInt64] as const];
    return type === 'number' ? [[name, Number] as const] : [];
  });
}

/** The strict JSON parser makes every integer a bigint; this converts it to the type of the schema. */
function convertInPlace(body: unknown, name: string, convert: (value: bigint) => Int64): void {
  if (typeof body !== 'object' || body === null) return;
  const value: unknown = Reflect.get(body, name);
  if (typeof value === 'bigint') Reflect.set(body, name, convert(value));
}
