import { describe, expect, test } from 'bun:test';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { ApiError } from '../../src/core/errors.ts';
import { MAX_DEPTH, parseStrictJson } from '../../src/http/body/strict-json.ts';
import { INT64_MAX, INT64_MIN } from '../../src/lib/int64.ts';

const RUNS = { numRuns: 2_000 };
/** Eight times the largest body: linear work takes milliseconds, quadratic work takes minutes. */
const HOSTILE_SIZE = 2 ** 19;

const parse = (text: string) => parseStrictJson(Buffer.from(text));

/** The message of the refusal; fails without a refusal and on another error. */
function refusal(bytes: string | Uint8Array): string {
  try {
    parseStrictJson(Buffer.from(bytes));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_json') return error.message;
    throw error;
  }
  throw new Error(`Was not refused: ${String(bytes).slice(0, 200)}`);
}

/** A result of JSON.parse with the integers that `JSON.stringify` wrote converted to bigints. */
function withBigints(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBigints);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, withBigints(each)]),
    );
  }
  if (typeof value !== 'number') return value;
  return integerIn(String(value)) ?? value;
}

/** Rounds every bigint to a number, and replaces negative zero, which integers do not have. */
function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, withNumbers(each)]),
    );
  }
  return typeof value === 'bigint' || value === 0 ? Number(value) + 0 : value;
}

/** The int64 value of a JSON number literal, computed with exact fractions. */
function integerIn(literal: string): bigint | undefined {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits =
    BigInt(`${whole.replace('-', '')}${fraction}`) * (whole.startsWith('-') ? -1n : 1n);
  const power = Number(exponent) - fraction.length;
  const divisor = 10n ** BigInt(Math.max(0, -power));
  if (digits % divisor !== 0n) return undefined;
  const value = (digits * 10n ** BigInt(Math.max(0, power))) / divisor;
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Random JSON spellings of a text, in which any UTF-16 unit may be escaped. */
const spelling = (text: string) =>
  fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((escaped) => {
    const units = [...Array(text.length).keys()].map((index) =>
      escaped[index]
        ? `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`
        : JSON.stringify(text[index]).slice(1, -1),
    );
    return `"${units.join('')}"`;
  });

describe('strict JSON: what is valid', () => {
  test('is read as JSON.parse reads it, integers as exact bigints', () => {
    const json = fc.jsonValue({ maxDepth: 6, noUnicodeString: false });
    fc.assert(
      fc.property(json, fc.constantFrom('', ' ', '\t', '\n  '), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parse(text)).toStrictEqual(withBigints(JSON.parse(text)));
      }),
      RUNS,
    );
  });

  test('has every number as the int64 it stands for, however it is spelled', () => {
    const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/);
    const fraction = fc.option(fc.stringMatching(/^\d{1,24}$/), { nil: undefined });
    const exponent = fc.option(fc.integer({ min: -40, max: 40 }), { nil: undefined });
    const number = fc
      .tuple(fc.constantFrom('', '-'), digits, fraction, fc.constantFrom('e', 'E'), exponent)
      .map(([sign, whole, part, e, power]) => {
        const mantissa = part === undefined ? `${sign}${whole}` : `${sign}${whole}.${part}`;
        return power === undefined ? mantissa : `${mantissa}${e}${power}`;
      });
    const near = fc
      .tuple(fc.constantFrom(INT64_MIN, INT64_MAX, 2n ** 53n, 0n), fc.bigInt({ min: -3n, max: 3n }))
      .map(([edge, distance]) => `${edge + distance}`);
    const shifted = near.map((text) => `${text}0.0e-1`).filter(isJson);
    const spelled = fc.oneof(number, near, shifted);
    fc.assert(
      fc.property(spelled, (literal) => {
        expect(parse(`[${literal}]`)).toStrictEqual([integerIn(literal) ?? Number(literal)]);
      }),
      RUNS,
    );
  });

  test('has every string, however its characters are spelled', () => {
    const spelled = fc
      .string({ unit: 'grapheme' })
      .chain((text) => fc.tuple(fc.constant(text), spelling(text)));
    fc.assert(
      fc.property(spelled, ([text, literal]) => {
        expect(parse(literal)).toBe(text);
      }),
      RUNS,
    );
  });

  test('may have the same member in different objects', () => {
    expect(parse('{"a":{"a":[{"a":"a"},{"a":"a"}]},"b":{"a":1}}')).toEqual({
      a: { a: [{ a: 'a' }, { a: 'a' }] },
      b: { a: 1n },
    });
  });

  test('keeps __proto__ a member like any other', () => {
    const value = parse('{"__proto__":{"polluted":true}}');
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
    expect(value).not.toHaveProperty('polluted');
  });

  test(`may nest ${MAX_DEPTH} levels of arrays and objects, and no more`, () => {
    const kinds = fc.array(fc.boolean(), { minLength: MAX_DEPTH, maxLength: MAX_DEPTH });
    fc.assert(
      fc.property(kinds, fc.boolean(), (objects, last) => {
        const nest = (isObject: boolean, inner: string) =>
          isObject ? `{"a":${inner}}` : `[0,${inner}]`;
        const deepest = objects.reduce((inner, each) => nest(each, inner), '"x"');
        expect(() => parse(deepest)).not.toThrow();
        expect(refusal(nest(last, deepest))).toMatch(/deeper than 16/);
      }),
    );
  });
});

describe('strict JSON: what is refused', () => {
  test('a member given twice, at any depth and in any spelling', () => {
    const names = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('', '__proto__', 'constructor', 'toString', '"', '\\', '}', ',', ':'),
    );
    const twice = names.chain((name) =>
      fc.tuple(fc.constant(name), spelling(name), spelling(name)),
    );
    const depth = fc.array(fc.boolean(), { maxLength: 12 });
    fc.assert(
      fc.property(twice, depth, ([, first, second], nesting) => {
        const object = `{"\u{1F436}":[],${first}:{"x":[1,"{"]},"other\\"":null,${second}:2}`;
        const text = nesting.reduce(
          (inner, isObject) => (isObject ? `{"a":[],"b":${inner}}` : `[{},${inner}]`),
          object,
        );
        const before = text.slice(0, text.lastIndexOf(`${second}:2}`));
        const column = Array.from(before).length + 1;
        expect(refusal(text)).toBe(
          `The body has a member twice, again at line 1, column ${column}. Send it once.`,
        );
      }),
      RUNS,
    );
  });

  test('bytes that are not UTF-8, and no others', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(bytes, (inside) => {
        const body = Buffer.concat([Buffer.from('["'), inside, Buffer.from('"]')]);
        if (!isUtf8(inside))
          expect(refusal(body)).toMatch(
            /^The body is not valid UTF-8 at line \d, column \d+\. Encode it as UTF-8\.$/,
          );
        else if (isJson(body.toString()))
          expect(parseStrictJson(body)).toEqual(JSON.parse(body.toString()));
        else expect(refusal(body)).toMatch(/not valid JSON|twice/);
      }),
      { numRuns: 20_000 },
    );
  });

  test('whatever JSON.parse refuses; beyond it only duplicates and depth', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '"a"',
        '"a":',
        '1',
        '-',
        '.',
        'e',
        'null',
        ' ',
        '\n',
      ],
      ...['{"a":1}', '[1,2]', '"\\u0061"', '\u0000', '\u2028', '/', "'", 'NaN', '01', '\uFEFF'],
    );
    const soup = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const cut = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(3), piece)
      .map(([text, at, length, put]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + put + text.slice(start + length);
      });
    fc.assert(
      fc.property(fc.oneof(soup, cut), (raw) => {
        const text = raw.replace(/^\uFEFF+/, '').toWellFormed();
        if (!isJson(text)) expect(refusal(text)).toMatch(/not valid JSON|empty|twice|deeper/);
        else if (hasDuplicates(text)) expect(refusal(text)).toMatch(/twice/);
        else expect(withNumbers(parse(text))).toStrictEqual(withNumbers(JSON.parse(text)));
      }),
      { numRuns: 20_000 },
    );
  });

  test('an empty body, and one of white space, are distinguished from bad JSON', () => {
    for (const text of ['', ' ', '\n\t \r', '\uFEFF']) expect(refusal(text)).toMatch(/is empty/);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether parsing loses a member of the JSON: it has more colons outside of strings than members. */
function hasDuplicates(text: string): boolean {
  const colons = text.replaceAll(/"(?:\\.|[^"\\])*"/g, '""').split(':').length - 1;
  return colons > countMembers(JSON.parse(text));
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value).reduce<number>((sum, each) => sum + countMembers(each), 0);
  return inside + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

describe('strict JSON: hostile shapes of 512 KiB, which quadratic work would not finish in time', () => {
  const fill = (unit: string) => unit.repeat(HOSTILE_SIZE / unit.length);
  const shapes: Array<[name: string, text: string]> = [
    ['spaces', fill(' ')],
    ['open arrays', fill('[')],
    ['closed arrays', fill(']')],
    ['open and closed arrays', `[${fill('[],')}[]]`],
    ['open objects', fill('{"a":')],
    ['quotes', fill('"')],
    ['backslashes', `"${fill('\\')}"`],
    ['escapes', `"${fill('\\u0061')}"`],
    ['an open string', `"${fill('a')}`],
    ['commas', `[${fill(',')}]`],
    ['minus signs', fill('-')],
    ['digits', fill('9')],
    ['a one and zeros', `1${fill('0')}`],
    ['zeros after the point', `1.${fill('0')}`],
    ['zeros after the point, then a one', `1.${fill('0')}1`],
    ['zeros, then a one', `0.${fill('0')}1`],
    ['zeros between ones', `[0.${fill('0000000000000001')}]`],
    ['an exponent of zeros', `1e${fill('0')}1`],
    ['an exponent of nines', `1e${fill('9')}`],
    ['a long member name', `{"${fill('a')}":1}`],
    ['members', `{${Array.from({ length: 300_000 }, (_, index) => `"m${index}":${index}`)}}`],
    ['numbers', `[${fill('1.0,')}1]`],
  ];

  test.each(shapes)('%s', (_name, text) => {
    if (isJson(text) && !/^[^"]*\[{17}/.test(text)) expect(() => parse(text)).not.toThrow();
    else expect(refusal(text)).not.toBe('');
  });
});
