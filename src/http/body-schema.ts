/** As much of JSON Schema as the bodies of requests use, and `bigint` for any 64-bit integer. */
export interface BodySchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  /** In Unicode code points. */
  readonly minLength?: number;
  /** In Unicode code points. */
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Only describes the value; `minimum` and `maximum` are checked. */
  readonly format?: 'int64';
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly additionalProperties?: false;
  readonly description?: string;
  readonly example?: unknown;
}

/** Why a value does not match the schema of an object. */
export type BodyProblem =
  | { readonly kind: 'type' }
  | { readonly kind: 'missing' | 'unknown' | 'invalid'; readonly field: string };

type Check = (value: unknown) => boolean;

const KEYWORDS: ReadonlySet<string> = new Set<keyof BodySchema>([
  ...(['type', 'enum', 'const', 'minimum', 'maximum'] as const),
  ...(['minLength', 'maxLength', 'pattern'] as const),
  ...(['required', 'properties', 'additionalProperties'] as const),
  // These only describe a value.
  ...(['format', 'description', 'example'] as const),
]);

const TYPES: ReadonlyMap<string | undefined, Check> = new Map([
  [undefined, () => true],
  ['string', (value: unknown) => typeof value === 'string'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['bigint', (value) => typeof value === 'bigint'],
  ['integer', Number.isInteger],
  ['number', Number.isFinite],
  ['object', isObject],
]);

/**
 * Compiles the schema of an object. TypeBox's compiler supports all of JSON Schema, but its 235 files would be half of
 * those that the start loads.
 * @returns a function that finds the first problem of a value.
 * @throws Error for types and keywords that are not supported.
 */
export function compileBody(schema: BodySchema): (value: unknown) => BodyProblem | undefined {
  const other = Object.keys(schema).find((name) => !KEYWORDS.has(name));
  if (other !== undefined) throw new Error(`The keyword "${other}" is not supported in bodies.`);
  const { required = [], properties = {}, additionalProperties } = schema;
  const fields = Object.entries(properties).map(([name, field]) => [name, compile(field)] as const);
  return (value) => {
    if (!isObject(value)) return { kind: 'type' };
    const missing = required.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return { kind: 'missing', field: missing };
    if (additionalProperties === false) {
      const unknown = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
      if (unknown !== undefined) return { kind: 'unknown', field: unknown };
    }
    const invalid = fields.find(([name, isValid]) => {
      return Object.hasOwn(value, name) && !isValid(Reflect.get(value, name));
    });
    return invalid && { kind: 'invalid', field: invalid[0] };
  };
}

/** Compiles any schema. As in JSON Schema, a keyword about one type accepts all values of the others. */
function compile(schema: BodySchema): Check {
  const isOfType = TYPES.get(schema.type);
  if (!isOfType) throw new Error(`The type "${schema.type}" is not supported in bodies.`);
  const isText = textCheck(schema);
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const isInRange = (value: number | bigint) => value >= minimum && value <= maximum;
  const problemOfObject = compileBody(schema);
  return (value) => {
    if (!isOfType(value)) return false;
    if (schema.enum && !schema.enum.includes(value)) return false;
    if (schema.const !== undefined && value !== schema.const) return false;
    if (typeof value === 'string') return isText(value);
    if (typeof value === 'number' || typeof value === 'bigint') return isInRange(value);
    return !isObject(value) || problemOfObject(value) === undefined;
  };
}

function textCheck({
  minLength = 0,
  maxLength = Infinity,
  pattern,
}: BodySchema): (text: string) => boolean {
  const expression = pattern === undefined ? /(?:)/ : new RegExp(pattern, 'u');
  return (text) => {
    const length = codePoints(text);
    return length >= minLength && length <= maxLength && expression.test(text);
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
