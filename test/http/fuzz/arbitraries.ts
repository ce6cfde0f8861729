import fc, { type Arbitrary } from 'fast-check';
import { bounds, isValid, resolve, type Schema } from './contract.ts';

/** Values of every JSON type, integers as bigints, and values that careless code mishandles. */
const anything: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 1.5, -0.5, '', '7', 'NaN', '__proto__', 'constructor'),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom<unknown>(null, 7n, 'x'), { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.constantFrom<unknown>(null, 7n), { maxKeys: 3 }),
);

/** Values that a schema allows. */
export function valid(reference: Schema): Arbitrary<unknown> {
  const schema = resolve(reference);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return strings(schema).filter((value) => isValid(schema, value));
    case 'integer': {
      const { minimum, maximum } = bounds(schema);
      const edges = [minimum, maximum, 0n, 2n ** 53n + 1n];
      const within = edges.filter((edge) => isValid(schema, edge));
      return fc.oneof(fc.bigInt({ min: minimum, max: maximum }), fc.constantFrom(...within));
    }
    case 'object':
      return validObject(schema);
    default:
      throw new Error(`No values for the type ${schema.type}.`);
  }
}

function validObject({ properties = {}, required = [] }: Schema): Arbitrary<object> {
  const members = Object.entries(properties).map(([name, each]) => [name, valid(each)] as const);
  const known = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
  const name = fc
    .oneof(fc.string(), fc.constantFrom('id', '__proto__', 'toString', 'Name'))
    .filter((each) => !Object.hasOwn(properties, each));
  const unknown = fc.dictionary(name, anything, { maxKeys: 3 });
  return fc
    .tuple(known, fc.option(unknown, { nil: {}, freq: 3 }))
    .map(([first, second]) =>
      Object.fromEntries([...Object.entries(first), ...Object.entries(second)]),
    );
}

/** Values that violate a schema: near misses and arbitrary values. */
export function invalid(reference: Schema): Arbitrary<unknown> {
  const schema = resolve(reference);
  return fc.oneof(nearMisses(schema), anything).filter((value) => !isValid(schema, value));
}

function nearMisses(schema: Schema): Arbitrary<unknown> {
  if (schema.enum) {
    const change = fc.constantFrom('upper', 'space', 'cut', 'list');
    return fc.tuple(fc.constantFrom(...schema.enum), change).map(([value, how]) => {
      if (how === 'upper') return value.toUpperCase();
      if (how === 'cut') return value.slice(1);
      return how === 'space' ? `${value} ` : [value];
    });
  }
  if (schema.type === 'object') return brokenObject(schema);
  if (schema.type === 'string') return strings(schema);
  const { minimum, maximum } = bounds(schema);
  const distance = fc.oneof(fc.constantFrom(1n, 2n ** 64n), fc.bigInt({ min: 1n, max: 2n ** 70n }));
  return fc.oneof(
    distance.map((by) => minimum - by),
    distance.map((by) => maximum + by),
  );
}

/** A valid object except for one missing or invalid member. */
function brokenObject(schema: Schema): Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema;
  const missing = required.map((name) =>
    validObject(schema).map((value) =>
      Object.fromEntries(Object.entries(value).filter(([each]) => each !== name)),
    ),
  );
  const broken = Object.entries(properties).map(([name, property]) =>
    fc.tuple(validObject(schema), invalid(property)).map(([value, member]) => ({
      ...value,
      [name]: member,
    })),
  );
  return fc.oneof(...missing, ...broken);
}

/** Valid and invalid strings near the limits of a schema's lengths and pattern. */
function strings({ maxLength = 300 }: Schema): Arbitrary<string> {
  const lengths = { maxLength: maxLength + 1 };
  const long = fc
    .constantFrom('x', '~', '\u{1F436}', 'é')
    .chain((unit) =>
      fc.constantFrom(maxLength, maxLength + 1).map((length) => unit.repeat(length)),
    );
  const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  return fc.oneof(
    fc.string({ unit: printable, ...lengths }),
    fc.string({ unit: 'grapheme', ...lengths }),
    fc.string({ unit: 'binary', ...lengths }),
    fc.constantFrom('', ' ', '\t', '\u00a0', 'a\u0000b', 'a\u007f', 'a\u0085', '\ud800', '\udfff'),
    long,
  );
}
