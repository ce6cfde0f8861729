import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly schema: Schema;
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<
    Record<string, Content & { readonly headers: Readonly<Record<string, { $ref: string }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

const INT64 = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n };

const path = join(import.meta.dir, '..', '..', '..', 'openapi.json');
const document: Document = JSON.parse(readFileSync(path, 'utf8'));

/** An operation of the committed document, by its id. */
export function operation(id: string): Operation {
  for (const methods of Object.values(document.paths)) {
    const found = Object.values(methods).find(({ operationId }) => operationId === id);
    if (found) return found;
  }
  throw new Error(`${id} is not in the document.`);
}

export function parameter(id: string, name: string): Schema {
  const found = operation(id).parameters?.find((each) => each.name === name);
  if (!found) throw new Error(`${id} has no parameter ${name}.`);
  return resolve(found.schema);
}

export function bodySchema({ content }: Content): Schema {
  const media = content['application/json'];
  if (!media) throw new Error('The document gives no schema for application/json.');
  return resolve(media.schema);
}

export function headerSchema({ $ref }: { $ref: string }): Schema {
  const header = document.components.headers[nameIn($ref)];
  if (!header) throw new Error(`${$ref} is not in the document.`);
  return header.schema;
}

export function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const target = document.components.schemas[nameIn(schema.$ref)];
  if (!target) throw new Error(`${schema.$ref} is not in the document.`);
  return target;
}

function nameIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** The bounds of an integer schema, exact. */
export function bounds({ minimum, maximum }: Schema): { minimum: bigint; maximum: bigint } {
  return {
    minimum: minimum === undefined ? INT64.minimum : BigInt(minimum),
    maximum: maximum === undefined ? INT64.maximum : BigInt(maximum),
  };
}

/** Whether a schema allows a value. Integers are bigints, as `parseExact` returns them. */
export function isValid(reference: Schema, value: unknown): boolean {
  const schema = resolve(reference);
  if (schema.enum && !schema.enum.some((each) => each === value)) return false;
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && isValidString(schema, value);
    case 'integer': {
      const { minimum, maximum } = bounds(schema);
      return typeof value === 'bigint' && value >= minimum && value <= maximum;
    }
    case 'array':
      return Array.isArray(value) && value.every((item) => isValid(schema.items ?? {}, item));
    case 'object':
      return isValidObject(schema, value);
    default:
      throw new Error(`No rule for the type ${schema.type}.`);
  }
}

function isValidString({ minLength = 0, maxLength, pattern }: Schema, value: string): boolean {
  const { length } = [...value];
  if (length < minLength || length > (maxLength ?? length)) return false;
  // JSON Schema cannot express that text must be valid Unicode.
  if (!value.isWellFormed()) return false;
  return pattern === undefined || new RegExp(pattern, 'u').test(value);
}

function isValidObject(schema: Schema, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const members = Object.entries(value);
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    members.every(([name, member]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property ? isValid(property, member) : additionalProperties;
    })
  );
}

/** Parses JSON with every integer as an exact bigint. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value,
  );
}

/** Writes JSON with every digit of a bigint. */
export function writeExact(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`,
  );
  return `{${members.join(',')}}`;
}
