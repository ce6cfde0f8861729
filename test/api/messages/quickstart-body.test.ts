import { describe, expect, test } from 'bun:test';
import { rejection } from '../../../client/testing/test-client.ts';
import type { TestService } from '../../support/harness.ts';
import { type Refusal, refusalOf } from '../../support/problem.ts';
import { ask, send, startQuickstart } from '../../support/quickstart-scene.ts';
import { rawExchange } from '../../support/raw.ts';
import { sharedService } from '../../support/shared-service.ts';

const MUST_BE = '"message" must be a string of 1 to 10,000 Unicode characters.';
const IS_REQUIRED = '"message" is required: send a string of 1 to 10,000 Unicode characters.';
const NOT_JSON_TYPE = 'Send the body as JSON, with the header "Content-Type: application/json".';

const shared = sharedService(startQuickstart);

/** The refusal of this body; checks that no message is queued. */
async function refusalOfBody(body: unknown, headers?: Record<string, string>): Promise<Refusal> {
  const service = shared();
  const { account, secret } = await service.account();
  const refusal = await refusalOf(await send(service, secret, body, headers));
  expect(await service.stores.messages.list(account.id, 1)).toEqual([]);
  return refusal;
}

function clientOf(service: TestService, key: string) {
  return service.client(key, { quickstartBaseUrl: service.url('quickstart') });
}

describe('the text', () => {
  test.each([
    ['one character', 'x'],
    ['a space', ' '],
    ['10,000 letters', 'x'.repeat(10_000)],
    ['10,000 emoji', '🐕'.repeat(10_000)],
    ['5,000 letters under accents', 'e\u0301'.repeat(5_000)],
    ['lines, tabs and quotes', 'He said:\r\n\t"it\'s \\ here"'],
    ['control characters', 'a\u0000b\u001b[31m\u007f'],
    ['right-to-left text', 'مرحبا \u202eolleh'],
    ['markup', '<script>alert(1)</script>'],
  ])('of %s is taken, given back and kept as sent', async (_, text) => {
    const service = shared();
    const { account, secret } = await service.account();

    const sent = await clientOf(service, secret).sendMessage(text);

    expect(sent.message).toBe(text);
    expect((await service.stores.messages.list(account.id, 1))[0]?.text).toBe(text);
  });

  test.each([
    ['no character', ''],
    ['10,001 letters', 'x'.repeat(10_001)],
    ['10,001 emoji', '🐕'.repeat(10_001)],
    ['5,001 letters under accents', 'e\u0301'.repeat(5_001)],
    ['2,001 families of five code points', '👨‍👩‍👧'.repeat(2_001)],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\udc15a'],
    ['surrogates in the wrong order', '\udc15\ud83d'],
    ['a number', 1],
    ['true', true],
    ['null', null],
    ['an array', ['Hello!']],
    ['an object', { text: 'Hello!' }],
  ])('of %s is refused by name', async (_, message) => {
    expect(await refusalOfBody({ message })).toStrictEqual({
      status: 400,
      code: 'invalid_body',
      message: MUST_BE,
    });
  });
});

describe('the body', () => {
  test.each([{}, { Message: 'Hello!' }, { text: 'Hello!' }])(
    'without a message is refused: %j',
    async (body) => {
      expect(await refusalOfBody(body)).toStrictEqual({
        status: 400,
        code: 'invalid_body',
        message: IS_REQUIRED,
      });
    },
  );

  test.each(['null', '[]', '"Hello!"', '7', '[{"message":"Hello!"}]'])(
    'of %s, not an object, is refused',
    async (body) => {
      expect(await refusalOfBody(body)).toStrictEqual({
        status: 400,
        code: 'invalid_body',
        message: 'The body must be a JSON object.',
      });
    },
  );

  test.each([
    ['nothing', ''],
    ['a word', 'Hello!'],
    ['a cut object', '{"message":"Hello!"'],
    ['single quotes', "{'message':'Hello!'}"],
    ['a trailing comma', '{"message":"Hello!",}'],
    ['a raw line break in the text', '{"message":"Hello\n!"}'],
    ['the message twice', '{"message":"Hello!","message":"Hello!"}'],
    ['17 levels', `{"message":"Hello!","more":${'['.repeat(16)}${']'.repeat(16)}}`],
    ['a form', 'message=Hello!'],
  ])('that is not strict JSON is refused: %s', async (_, body) => {
    expect(await refusalOfBody(body)).toMatchObject({ status: 400, code: 'invalid_json' });
  });

  test('that is not UTF-8 is refused', async () => {
    await using service = await startQuickstart();
    const { secret } = await service.account();
    const headers = { 'Content-Type': 'application/json' };
    const body = new Uint8Array(Buffer.from('{"message":"Caf\xe9"}', 'latin1'));

    const reply = await ask(service, '/messages', { key: secret, method: 'POST', headers, body });

    expect(await refusalOf(reply)).toMatchObject({ status: 400, code: 'invalid_json' });
  });

  test('may have fields that are unknown, which change nothing', async () => {
    await using service = await startQuickstart();
    const { account, secret } = await service.account();
    const body = { message: 'Hello!', id: 'msg_1', status: 'delivered', createdAt: 'never', to: 1 };

    const sent: unknown = await (await send(service, secret, body)).json();

    expect(sent).toMatchObject({ message: 'Hello!', status: 'queued' });
    expect(Object(sent).id).not.toBe('msg_1');
    expect(await service.stores.messages.list(account.id, 10)).toHaveLength(1);
  });
});

describe('the size', () => {
  test('of 64 KiB is read, and of one byte more refused with 413', async () => {
    await using service = await startQuickstart();
    const { account, secret } = await service.account();
    const ofSize = (bytes: number) => {
      const frame = '{"message":"Hello!","more":""}';
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    };

    expect((await send(service, secret, ofSize(65_536))).status).toBe(202);
    expect(await refusalOf(await send(service, secret, ofSize(65_537)))).toStrictEqual({
      status: 413,
      code: 'body_too_large',
      message: 'The body is larger than 64 KiB. Send less.',
    });
    expect(await service.stores.messages.list(account.id, 10)).toHaveLength(1);
  });

  test('of 10,000 characters that are all escaped is one too large for the body', async () => {
    const escaped = '\\ud83d\\udc15'.repeat(10_000);

    expect(await refusalOfBody(`{"message":"${escaped}"}`)).toMatchObject({ status: 413 });
  });
});

describe('the content type', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])(
    '%s is refused',
    async (type) => {
      expect(await refusalOfBody({ message: 'Hello!' }, { 'Content-Type': type })).toStrictEqual({
        status: 400,
        code: 'unsupported_content_type',
        message: NOT_JSON_TYPE,
      });
    },
  );

  test('missing is refused, also when the body would be JSON', async () => {
    await using service = await startQuickstart();
    const { secret } = await service.account();
    const body = '{"message":"Hello!"}';

    const { replies } = await rawExchange(service.port, [
      `POST /quickstart/messages HTTP/1.1\r\nHost: localhost:${service.port}\r\n`,
      `Connection: close\r\nAuthorization: Bearer ${secret}\r\n`,
      `Content-Length: ${body.length}\r\n\r\n${body}`,
    ]);

    expect(replies).toHaveLength(1);
    expect(JSON.parse(replies[0]?.body ?? '')).toStrictEqual({
      code: 'unsupported_content_type',
      message: NOT_JSON_TYPE,
      status: 400,
    });
  });

  test('may name UTF-8', async () => {
    await using service = await startQuickstart();
    const { secret } = await service.account();
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };

    expect((await send(service, secret, { message: 'Hello!' }, headers)).status).toBe(202);
  });
});

test('the shipped client tells a refused text as an error of the service', async () => {
  await using service = await startQuickstart();
  const { secret } = await service.account();

  expect(await rejection(clientOf(service, secret).sendMessage(''))).toMatchObject({
    name: 'ApiError',
    status: 400,
    code: 'invalid_body',
    message: MUST_BE,
  });
});
