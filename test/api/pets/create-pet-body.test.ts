import { describe, expect, test } from 'bun:test';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { rawExchange } from '../../support/raw.ts';
import { sharedService } from '../../support/shared-service.ts';

const KIBIBYTES_64 = 64 * 1024;
const PET = '{"name":"Rex","categoryId":7}';

const shared = sharedService();

/** Sends bytes unchanged to POST /pets with a valid key. */
async function post(
  body: BodyInit | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const service = shared();
  const { secret } = await service.account();
  return service.request('/pets', {
    key: secret,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
}

/** A body with this JSON text as the value of a member that the service ignores. */
function withExtra(json: string): string {
  return `{"name":"Rex","categoryId":7,"extra":${json}}`;
}

/** A valid body of exactly this many bytes. */
function bodyOfSize(bytes: number): string {
  return withExtra(`"${'x'.repeat(bytes - withExtra('""').length)}"`);
}

/** Arrays nested to this depth, such as `[[[…]]]`. */
function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

describe('members given twice', () => {
  test.each([
    [15, '{"name":"Rex","name":"Tom","categoryId":7}'],
    [15, '{"name":"Rex","name":"Rex","categoryId":7}'],
    [15, '{"name":"Rex","\\u006eame":"Tom","categoryId":7}'],
    [30, '{"categoryId":1,"name":"Rex","category\\u0049d":2}'],
    [51, '{"name":"Rex","categoryId":7,"extra":{"x":1,"y":2,"x":1}}'],
    [52, '{"name":"Rex","categoryId":7,"extra":[{"a":[{"x":1,"x":2}]}]}'],
    [44, '{"__proto__":1,"name":"Rex","categoryId":7,"__proto__":2}'],
    [35, '{"":1,"name":"Rex","categoryId":7,"":2}'],
  ])('are refused at column %d: %s', async (column, body) => {
    const refusal = await refusalOf(await post(body));

    expect(refusal).toStrictEqual({
      status: 400,
      code: 'invalid_json',
      message: `The body has a member twice, again at line 1, column ${column}. Send it once.`,
    });
  });

  test.each([
    withExtra('{"name":1,"categoryId":{"name":2}}'),
    withExtra('[{"x":1},{"x":2}]'),
    withExtra('["name","name"]'),
    withExtra('"\\",\\"name\\":\\"Tom"'),
    withExtra('{"a":"b","b":"a"}'),
  ])('in different objects, or only in a text, are not: %s', async (body) => {
    expect((await post(body)).status).toBe(201);
  });
});

describe('text', () => {
  test.each([
    ['a stray continuation byte', [0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ])('that is not UTF-8 is refused: %s', async (_, bytes) => {
    const body = Buffer.concat([
      Buffer.from('{"name":"Rex'),
      Buffer.from(bytes),
      Buffer.from('","categoryId":7}'),
    ]);

    expect(await refusalOf(await post(new Uint8Array(body)))).toStrictEqual({
      status: 400,
      code: 'invalid_json',
      message: 'The body is not valid UTF-8 at line 1, column 13. Encode it as UTF-8.',
    });
  });

  test.each([
    ['nothing', ''],
    ['white space', ' \r\n'],
    ['a word', 'pet'],
    ['a cut object', '{"name":"Rex","categoryId":7'],
    ['a trailing comma', '{"name":"Rex","categoryId":7,}'],
    ['two values', `${PET}${PET}`],
    ['single quotes', "{'name':'Rex','categoryId':7}"],
    ['a comment', '{"name":"Rex",/* cat */"categoryId":7}'],
    ['a leading zero', '{"name":"Rex","categoryId":07}'],
    ['a plus sign', '{"name":"Rex","categoryId":+7}'],
    ['a bare point', '{"name":"Rex","categoryId":7.}'],
    ['NaN', '{"name":"Rex","categoryId":NaN}'],
    ['a raw line break in a text', '{"name":"R\nex","categoryId":7}'],
    ['a raw NUL', '{"name":"Rex","categoryId":7}\0'],
    ['a bad escape', '{"name":"\\x41","categoryId":7}'],
    ['unbalanced brackets', '}{"name":"Rex","categoryId":7}'],
    ['a form', 'name=Rex&categoryId=7'],
  ])('that is not JSON is refused: %s', async (_, body) => {
    expect(await refusalOf(await post(body))).toMatchObject({ status: 400, code: 'invalid_json' });
  });

  test('may have white space wherever JSON allows it', async () => {
    expect((await post('\r\n\t { "name" : "Rex" , "categoryId"\n:\n7 } \n')).status).toBe(201);
  });
});

describe('depth', () => {
  test.each([
    ['arrays', nested(15)],
    ['objects', `${'{"a":'.repeat(15)}1${'}'.repeat(15)}`],
    ['brackets that are only text', `"${'['.repeat(100)}"`],
  ])('of 16, the body counted, is read: %s', async (_, json) => {
    expect((await post(withExtra(json))).status).toBe(201);
  });

  test.each([
    ['arrays', withExtra(nested(16)), 53],
    ['objects', withExtra(`${'{"a":'.repeat(16)}1${'}'.repeat(16)}`), 113],
    ['a body of brackets', '['.repeat(KIBIBYTES_64), 17],
  ])('over 16 is refused: %s', async (_, body, column) => {
    expect(await refusalOf(await post(body))).toStrictEqual({
      status: 400,
      code: 'invalid_json',
      message: `The body is nested deeper than 16 levels at line 1, column ${column}. Send a flatter one.`,
    });
  });
});

describe('size', () => {
  /** A body without Content-Length, sent in chunks. */
  async function postChunked(body: string): Promise<{ status: number; code: unknown }> {
    const service = shared();
    const { secret } = await service.account();
    const chunks = body.match(/.{1,10000}/g) ?? [];
    const { replies } = await rawExchange(service.port, [
      `POST /v1/pets HTTP/1.1\r\nHost: localhost:${service.port}\r\nConnection: close\r\n`,
      `Authorization: Bearer ${secret}\r\nContent-Type: application/json\r\n`,
      'Transfer-Encoding: chunked\r\n\r\n',
      ...chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`),
      '0\r\n\r\n',
    ]);
    const [reply] = replies;
    return { status: reply?.status ?? 0, code: JSON.parse(reply?.body ?? '{}').code };
  }

  test('of exactly 64 KiB is accepted, with a length declared or in chunks', async () => {
    const body = bodyOfSize(KIBIBYTES_64);
    expect(body).toHaveLength(KIBIBYTES_64);

    expect((await post(body)).status).toBe(201);
    expect(await postChunked(body)).toEqual({ status: 201, code: undefined });
  });

  test('of one byte more is refused, with a length declared or in chunks', async () => {
    const body = bodyOfSize(KIBIBYTES_64 + 1);

    expect(await refusalOf(await post(body))).toStrictEqual({
      status: 413,
      code: 'body_too_large',
      message: 'The body is larger than 64 KiB. Send less.',
    });
    expect(await postChunked(body)).toEqual({ status: 413, code: 'body_too_large' });
  });

  test('is counted in bytes, not in characters', async () => {
    const emoji = '🐕'.repeat(KIBIBYTES_64 / 4);

    expect(await refusalOf(await post(withExtra(`"${emoji}"`)))).toMatchObject({ status: 413 });
  });
});

describe('content type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/json ; profile=x',
    'application/json;',
    'application/json; charset',
    'application/json; charset=',
    'application/json; charset=utf8',
    'application/json; charset=us-ascii',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset="; charset=latin1"',
    'application/json; profile="a; charset=latin1"',
    'application/json; profile="a, text/plain; charset=\\"latin1\\""',
  ])('%s is accepted', async (type) => {
    expect((await post(PET, { 'Content-Type': type })).status).toBe(201);
  });

  test.each([
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/json-patch+json',
    'application/vnd.pet+json',
    'application/x-www-form-urlencoded',
    'text/plain, application/json',
    'application/json, text/plain',
    'application/json, application/json',
    'application/json; profile="a", text/plain',
    'application/json; profile="a, text/plain',
    'text/plain; charset=application/json',
    'text/plain; profile="application/json"',
    'application/json/x',
    'application/ json',
    'application',
    'json',
    ';charset=utf-8',
    '*/*',
  ])('%s is refused', async (type) => {
    expect(await refusalOf(await post(PET, { 'Content-Type': type }))).toStrictEqual({
      status: 400,
      code: 'unsupported_content_type',
      message: 'Send the body as JSON, with the header "Content-Type: application/json".',
    });
  });

  test('says nothing about the encoding: it is UTF-8 whatever the charset', async () => {
    const named = (name: string) => JSON.stringify({ name, categoryId: 7 });
    const headers = { 'Content-Type': 'application/json; charset=iso-8859-1' };
    expect(await (await post(named('Gräfin 🐕'), headers)).json()).toMatchObject({
      name: 'Gräfin 🐕',
    });

    const latin1 = Buffer.from(named('Gräfin'), 'latin1');
    expect(await refusalOf(await post(latin1, headers))).toMatchObject({ code: 'invalid_json' });
    const utf16 = Buffer.from(`\ufeff${named('Biscuit')}`, 'utf16le');
    const inUtf16 = { 'Content-Type': 'application/json; charset=utf-16' };
    expect(await refusalOf(await post(utf16, inUtf16))).toMatchObject({ code: 'invalid_json' });
  });

  test('missing is refused', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    // Bytes, because fetch adds a content type to text.
    const reply = await service.request('/pets', {
      key: secret,
      method: 'POST',
      body: new TextEncoder().encode(PET),
    });

    expect(await refusalOf(reply)).toMatchObject({ status: 400, code: 'unsupported_content_type' });
  });

  test('is looked at before the body', async () => {
    const reply = await post('not JSON', { 'Content-Type': 'text/plain' });

    expect(await refusalOf(reply)).toMatchObject({ code: 'unsupported_content_type' });
  });

  test('with a Content-Encoding is refused: bodies come as they are', async () => {
    const reply = await post(Bun.gzipSync(PET), { 'Content-Encoding': 'gzip' });

    expect(await refusalOf(reply)).toMatchObject({ status: 400, code: 'unsupported_content_type' });
  });
});
