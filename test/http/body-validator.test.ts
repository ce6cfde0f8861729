import { describe, expect, test } from 'bun:test';
import { NewPet } from '../../src/api/pets/schemas.ts';
import { ApiError } from '../../src/core/errors.ts';
import { bodyParser } from '../../src/http/body/body-validator.ts';
import { parseStrictJson } from '../../src/http/body/strict-json.ts';

const parse = bodyParser(
  {
    type: 'object',
    required: ['amount'],
    additionalProperties: false,
    properties: {
      amount: { type: 'integer', minimum: 1, maximum: 100 },
      weight: { type: 'number' },
      category: { type: 'bigint' },
      name: { type: 'string' },
    },
  },
  {
    amount: 'an integer from 1 to 100',
    weight: 'a number',
    category: 'an integer',
    name: 'a string',
  },
);

const parseText = (text: string) => parse(parseStrictJson(Buffer.from(text)));

async function refusal(text: string): Promise<string> {
  try {
    await parseText(text);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_body') return error.message;
    throw error;
  }
  throw new Error(`Was not refused: ${text}`);
}

describe('a field without words of its own', () => {
  const parseNumbers = bodyParser({
    type: 'object',
    properties: {
      amount: { type: 'integer', minimum: 1, maximum: 100 },
      id: { type: 'bigint' },
      size: { type: 'string', enum: ['small', 'large'] },
      note: { type: 'string', maxLength: 3 },
      gift: { type: 'boolean' },
    },
  });

  test.each([
    ['{"amount":0}', '"amount" must be an integer from 1 to 100.'],
    [
      '{"id":"1"}',
      '"id" must be an integer from -9223372036854775808 to 9223372036854775807, not in quotes.',
    ],
    ['{"id":"one"}', '"id" must be an integer from -9223372036854775808 to 9223372036854775807.'],
    ['{"amount":"1"}', '"amount" must be an integer from 1 to 100, not in quotes.'],
    ['{"note":1}', '"note" must be a string of 0 to 3 characters.'],
    ['{"size":"medium"}', '"size" must be one of small, large.'],
    ['{"note":"long"}', '"note" must be a string of 0 to 3 characters.'],
    ['{"gift":1}', '"gift" must be true or false.'],
  ])('is described by its schema: %s', (text, message) => {
    expect(() => parseNumbers(parseStrictJson(Buffer.from(text)))).toThrow(message);
  });
});

describe('a body field', () => {
  test('of type integer or number arrives as a number, of type bigint as an exact bigint', async () => {
    const text = '{"amount":1e1,"weight":20000000000000000,"category":7}';
    expect(await parseText(text)).toEqual({ amount: 10, weight: 2e16, category: 7n });
    expect(await parseText('{"amount":100,"weight":0.5}')).toEqual({ amount: 100, weight: 0.5 });
  });

  test.each(['0', '101', '1.5', '"one"', 'null', '9007199254740993', '1e18'])(
    'of type integer from 1 to 100 is refused when it is %s',
    async (value) => {
      expect(await refusal(`{"amount":${value}}`)).toBe(
        '"amount" must be an integer from 1 to 100.',
      );
    },
  );

  test.each(['other', '__proto__', 'constructor', 'a/b~c'])(
    'that the schema does not have is named when it is refused: %s',
    async (name) => {
      const text = `{"amount":1,${JSON.stringify(name)}:1}`;
      expect(await refusal(text)).toBe(
        `${JSON.stringify(name)} is not a field here. Use: amount, weight, category, name.`,
      );
    },
  );

  test('that is missing, or holds a lone surrogate, is named', async () => {
    expect(await refusal('{}')).toBe('"amount" is required: send an integer from 1 to 100.');
    expect(await refusal('{"amount":1,"name":"\\ud83d"}')).toBe('"name" must be a string.');
  });
});

describe('a body that may lack each field, but not all', () => {
  const parseUpdate = bodyParser({
    type: 'object',
    minProperties: 1,
    properties: { name: { type: 'string' }, size: { type: 'integer' } },
  });

  test('is refused without any field, with their names', () => {
    expect(() => parseUpdate({})).toThrow('Send at least one of: name, size.');
    expect(parseUpdate({ size: 3n })).toEqual({ size: 3 });
  });
});

test('a name is judged by its code points: none is blank, a control character or half of one', () => {
  const parse = bodyParser(NewPet);
  const isAccepted = (name: string) => {
    try {
      parse({ name, categoryId: 7n });
      return true;
    } catch {
      return false;
    }
  };
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    const isText = !/[\p{Cc}\p{Cs}]/u.test(character);
    const isSpace = /\s/u.test(character);
    const expected = [isText && !isSpace, isText];
    if (isAccepted(character) === expected[0] && isAccepted(`x${character}`) === expected[1])
      continue;
    throw new Error(`U+${code.toString(16)} is not judged as ${expected}`);
  }
  expect(isAccepted(' \u00a0\u1680\u2003\u2028\u202f\u205f\u3000\ufeff')).toBe(false);
  expect(isAccepted('\ufeff\u3000x\u2028')).toBe(true);
});
