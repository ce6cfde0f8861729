import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { syntaxFault } from '../../src/http/body/json-faults.ts';
import { refusalOf } from '../support/problem.ts';
import { sharedService } from '../support/shared-service.ts';

const shared = sharedService();

/** The refusal of these bytes as the body of a creation. */
async function refusalOfBytes(body: string | Uint8Array<ArrayBuffer>) {
  const service = shared();
  const { secret } = await service.account();
  const headers = { 'Content-Type': 'application/json' };
  return refusalOf(await service.request('/pets', { key: secret, method: 'POST', headers, body }));
}

function messageAt(position: string): string {
  return `The body is not valid JSON at ${position}. Check quotes and commas there.`;
}

describe('invalid_json says line and column of the first fault', () => {
  test.each([
    ['a trailing comma', '{"name":"Rex","categoryId":7,}', 'line 1, column 30'],
    ['on the third line', '{\n  "name": "Rex",\n  categoryId: 7\n}', 'line 3, column 3'],
    ['after CR LF, which is one end of a line', '{\r\n"name":"Rex",\r\n]', 'line 3, column 1'],
    ['after CR alone', '{\r"name":"Rex",\r]', 'line 3, column 1'],
    ['after characters of several bytes', '{"name":"Zoë 犬 🐕" 7}', 'line 1, column 19'],
    ['after a combining accent, which is a column', '{"name":"Zoe\u0308" 7}', 'line 1, column 16'],
    ['after a byte order mark, which is none', '\ufeff{"name" 7}', 'line 1, column 9'],
    ['at a second byte order mark', '\ufeff\ufeff{}', 'line 1, column 1'],
    ['after U+2028, which ends no line', '{"name":"\u2028" 7}', 'line 1, column 13'],
    ['single quotes', "{'name':'Rex'}", 'line 1, column 2'],
    ['a word', 'pet', 'line 1, column 1'],
    ['a broken literal', '{"name":trve}', 'line 1, column 11'],
    ['a leading zero', '{"categoryId":07}', 'line 1, column 16'],
    ['a plus sign', '{"categoryId":+7}', 'line 1, column 15'],
    ['a bare point', '{"categoryId":7.}', 'line 1, column 17'],
    ['an exponent without digits', '{"categoryId":7e}', 'line 1, column 17'],
    ['a bad escape', '{"name":"\\x41"}', 'line 1, column 11'],
    ['a bad hexadecimal digit', '{"name":"\\u00g1"}', 'line 1, column 14'],
    ['a raw line break in a text', '{"name":"R\nex"}', 'line 1, column 11'],
    ['a second value', '{} {}', 'line 1, column 4'],
    ['the wrong bracket', '{"name":[1}', 'line 1, column 11'],
    ['before a member given twice', '{"a":1,,"a":2}', 'line 1, column 8'],
    ['a comma first', '[,1]', 'line 1, column 2'],
  ])('%s', async (_, body, position) => {
    expect(await refusalOfBytes(body)).toStrictEqual({
      status: 400,
      code: 'invalid_json',
      message: messageAt(position),
    });
  });

  test.each([
    ['{"name":"Rex","categoryId":7', 'line 1, column 29'],
    ['{"name":"Re', 'line 1, column 12'],
    ['{"name":tru', 'line 1, column 12'],
    ['{"name":-', 'line 1, column 10'],
    ['{"name":"\\u00', 'line 1, column 14'],
    ['{\n  "name":\n', 'line 3, column 1'],
    ['[', 'line 1, column 2'],
  ])('of a body that is cut off where it ends: %j', async (body, position) => {
    expect((await refusalOfBytes(body)).message).toBe(
      `The body is not valid JSON: it breaks off at ${position}. Send all of it.`,
    );
  });

  test.each([
    ['a byte of Latin-1', [...Buffer.from('{\n"n":"é'), 0xe9, 0x22, 0x7d], 'line 2, column 7'],
    ['a cut character at the end', [...Buffer.from('{"n":"é'), 0xe7, 0x8a], 'line 1, column 8'],
    ['after a byte order mark', [0xef, 0xbb, 0xbf, 0xff], 'line 1, column 1'],
    ['the first byte', [0xff], 'line 1, column 1'],
  ])('where it is not UTF-8: %s', async (_, bytes, position) => {
    expect((await refusalOfBytes(new Uint8Array(bytes))).message).toBe(
      `The body is not valid UTF-8 at ${position}. Encode it as UTF-8.`,
    );
  });

  test('where it is nested too deeply', async () => {
    const deep = `{\n"a":${'['.repeat(16)}${']'.repeat(16)}}`;
    expect((await refusalOfBytes(deep)).message).toBe(
      'The body is nested deeper than 16 levels at line 2, column 20. Send a flatter one.',
    );
  });
});

test('nothing of an invalid body is repeated', async () => {
  const canary = 'canary-7f3a';
  const bodies = [
    `{"${canary}":1,"${canary}":2}`,
    `{"name":"${canary}",}`,
    `{"name":"${canary}`,
    `${canary}`,
    `{"name":"${canary}" ${canary}}`,
  ];
  for (const body of bodies) {
    const { code, message } = await refusalOfBytes(body);
    expect([code, message.includes(canary.slice(0, 6))]).toEqual(['invalid_json', false]);
  }
});

describe('the first fault of the syntax', () => {
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '\\', '"a"', '"a":', '1', '-', '.', 'e', 'E+', '0'],
    ...['null', 'tru', ' ', '\n', '{"a":1}', '[1,2]', '"\\u0061"', '\\u00', '\u0000', '🐕', '\t'],
  );
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(3), piece)
      .map(([text, at, length, put]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + put + text.slice(start + length);
      }),
  );

  test('is found exactly where JSON.parse refuses the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(syntaxFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 20_000 },
    );
  });

  test('is at the end of the longest beginning that some JSON has', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const fault = syntaxFault(text);
        if (fault === undefined) return;
        // What comes before is JSON, or breaks off; with the next character it is neither.
        expect([undefined, fault]).toContain(syntaxFault(text.slice(0, fault)));
        if (fault < text.length) expect(syntaxFault(text.slice(0, fault + 1))).toBe(fault);
      }),
      { numRuns: 20_000 },
    );
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
