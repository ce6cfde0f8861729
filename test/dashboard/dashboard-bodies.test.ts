import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { createKey, expectRefusal, keysOf, operator } from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';

let service: TestService;
let visitor: Visitor;

beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
  visitor = await operator(service);
});
afterAll(() => service[Symbol.asyncDispose]());

const GOOD = { name: 'test', environment: 'production' };

describe('POST /api/keys names the field that is', () => {
  test.each([
    ['missing', { environment: 'production' }, 'name'],
    ['empty', { ...GOOD, name: '' }, 'name'],
    ['blank', { ...GOOD, name: ' \t ' }, 'name'],
    ['too long', { ...GOOD, name: 'x'.repeat(101) }, 'name'],
    ['on two lines', { ...GOOD, name: 'a\nb' }, 'name'],
    ['half a character', { ...GOOD, name: 'a\ud83d' }, 'name'],
    ['no text', { ...GOOD, name: 7 }, 'name'],
    ['no environment', { ...GOOD, environment: 'moon' }, 'environment'],
    ['missing, too', { name: 'test' }, 'environment'],
    ['no number', { ...GOOD, expiresInDays: '30' }, 'expiresInDays'],
    ['no whole number', { ...GOOD, expiresInDays: 1.5 }, 'expiresInDays'],
    ['too small', { ...GOOD, expiresInDays: 0 }, 'expiresInDays'],
    ['too large', { ...GOOD, expiresInDays: 3_651 }, 'expiresInDays'],
    ['null', { ...GOOD, expiresInDays: null }, 'expiresInDays'],
    ['unknown', { ...GOOD, expiresIndays: 30 }, 'expiresIndays'],
  ])('%s', async (_, body, field) => {
    const message = await expectRefusal(await visitor.post('/api/keys', body), 400, 'invalid');
    expect(message).toContain(`"${field}"`);
    expect(await keysOf(visitor)).toEqual([]);
  });
});

describe('POST /api/keys refuses a body', () => {
  test.each([
    ['that is no object', '[]'],
    ['that is null', 'null'],
    ['that is empty', ''],
    ['that is no JSON', '{"name":'],
    ['that is not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['with a field that JavaScript knows', '{"name":"a","environment":"production","__proto__":1}'],
    ['larger than 16 KiB', JSON.stringify(GOOD).padEnd(16 * 1024 + 1)],
  ])('%s', async (_, body) => {
    await expectRefusal(await send(body, 'application/json'), 400, 'invalid');
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'sent as %s',
    async (type) => {
      const message = await expectRefusal(await send(JSON.stringify(GOOD), type), 400, 'invalid');
      expect(message).toContain('application/json');
    },
  );
});

test('POST /api/keys accepts a body of 16 KiB', async () => {
  const reply = await send(JSON.stringify(GOOD).padEnd(16 * 1024), 'application/json');
  expect(reply.status).toBe(201);
});

describe('POST /api/keys/{id}/rotate names the field when', () => {
  test.each([
    ['the overlap is missing', {}],
    ['the overlap is none of those there are', { overlap: '2h' }],
    ['the overlap is a number', { overlap: 0 }],
    ['the overlap is a name that JavaScript knows', { overlap: 'constructor' }],
  ])('%s', async (_, body) => {
    const { key } = await createKey(visitor);
    const reply = await visitor.post(`/api/keys/${key.id}/rotate`, body);
    expect(await expectRefusal(reply, 400, 'invalid')).toContain('"overlap"');
    await visitor.delete(`/api/keys/${key.id}`);
  });
});

describe('PUT /api/operator/accounts/{id}/plan refuses', () => {
  test.each([
    ['an unknown plan', { plan: 'gold' }, 'plan'],
    ['no plan', {}, 'plan'],
    ['Enterprise without numbers', { plan: 'enterprise' }, 'enterprise'],
    ['Enterprise with one number', { plan: 'enterprise', perMinute: 1 }, 'enterprise'],
    ['Free with numbers', { plan: 'free', perMinute: 1, perDay: 1 }, 'free'],
    ['a limit of 0', { plan: 'enterprise', perMinute: 0, perDay: 1 }, 'perMinute'],
    ['a negative limit', { plan: 'enterprise', perMinute: 1, perDay: -1 }, 'perDay'],
    ['half a request', { plan: 'enterprise', perMinute: 0.5, perDay: 1 }, 'perMinute'],
    ['a limit past counting', { plan: 'enterprise', perMinute: 1, perDay: 1e16 }, 'perDay'],
  ])('%s', async (_, body, word) => {
    const reply = await visitor.put(`/api/operator/accounts/${visitor.accountId}/plan`, body);
    expect(await expectRefusal(reply, 400, 'invalid')).toContain(`"${word}"`);
    expect((await service.stores.accounts.find(visitor.accountId))?.plan).toBe('free');
  });
});

/** Sends a body unchanged to POST /api/keys. */
function send(body: string | Uint8Array<ArrayBuffer>, type: string): Promise<Response> {
  return fetch(`${service.dashboardUrl}/api/keys`, {
    method: 'POST',
    body,
    headers: {
      Origin: new URL(service.dashboardUrl).origin,
      'Content-Type': type,
      Cookie: visitor.cookie,
    },
  });
}
