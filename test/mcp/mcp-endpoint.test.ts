import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { createLog } from '../../src/observability/log.ts';
import { expectRefusal } from '../support/dashboard-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { readLimits } from '../support/limit-readings.ts';
import { INITIALIZE, sendMessage, ToolClient, toolCall } from '../support/mcp.ts';
import { refusalOf } from '../support/problem.ts';
import { rawExchange } from '../support/raw.ts';

describe('/mcp', () => {
  test('refuses a request without a key as the API does', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const reply = await sendMessage(service, undefined, INITIALIZE);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="petstore"');
    expect(reply.headers.get('x-ratelimit-limit')).toBe('1000000');
    expect(await refusalOf(reply)).toMatchObject({ code: 'missing_api_key', status: 401 });
  });

  test('refuses every bad key with a challenge that names the error', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { key, secret } = await service.account(undefined, 'staging');
    await service.stores.apiKeyService.revoke(key.id, 'test');
    for (const [bad, message] of [
      [secret, 'This API key is revoked. Create a new one.'],
      [generateApiKey('production'), 'This API key is unknown. Create a new one.'],
      ['guess', 'This is not an API key of this service. Check it for typos.'],
    ] as const) {
      const reply = await sendMessage(service, bad, INITIALIZE);
      expect(reply.headers.get('www-authenticate')).toContain('error="invalid_token"');
      expect(await refusalOf(reply)).toEqual({ code: 'invalid_api_key', message, status: 401 });
    }
  });

  test('counts requests without a valid key with those to the API, by the address of the client', async () => {
    const settings = {
      PETSTORE_ANONYMOUS_PER_MINUTE: '2',
      PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1',
    };
    const clock = new ManualClock();
    await using service = await TestService.start({ parts: PARTS, settings, clock });
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const ask = (address: string) => sendMessage(service, undefined, INITIALIZE, from(address));
    expect(readLimits(await ask('192.0.2.1'))).toMatchObject({ status: 401, remaining: 1 });
    const direct = await service.request('/pets', { headers: from('192.0.2.1') });
    expect(readLimits(direct)).toMatchObject({ status: 401, remaining: 0 });
    const refused = await ask('192.0.2.1');
    expect(readLimits(refused)).toMatchObject({ status: 429, retryAfter: 60 });
    expect(await refusalOf(refused)).toMatchObject({ code: 'rate_limited' });
    expect(readLimits(await ask('192.0.2.2'))).toMatchObject({ status: 401, remaining: 1 });
    const { secret } = await service.account();
    const valid = await sendMessage(service, secret, INITIALIZE, from('192.0.2.1'));
    expect(valid.status).toBe(200);
  });

  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('serves POST alone, not %s', async (method) => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const headers = { Authorization: `Bearer ${secret}`, Accept: 'text/event-stream' };
    const reply = await fetch(`${service.dashboardUrl}/mcp`, { method, headers });
    expect(reply.headers.get('allow')).toBe('POST');
    expect(await refusalOf(reply)).toEqual({
      code: 'method_not_allowed',
      message: `This path does not serve ${method}. It serves POST.`,
      status: 405,
    });
  });

  test('refuses what pages of other sites send, and answers those of its own', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', '']) {
      const reply = await sendMessage(service, secret, INITIALIZE, { Origin: origin });
      // The page sees why, but its request has no effect.
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      await expectRefusal(reply, 403, 'forbidden');
    }
    const own = { Origin: new URL(service.dashboardUrl).origin };
    expect((await sendMessage(service, secret, INITIALIZE, own)).status).toBe(200);
  });

  test.each([
    ['application/json', 200],
    ['APPLICATION/JSON;charset=utf-8', 200],
    ['application/json;q=0.1', 200],
    ['application/*', 200],
    ['*/*', 200],
    ['text/html, */*;q=0.1', 200],
    ['application/json, text/event-stream', 200],
    ['text/plain;x="a,b;q=0", application/json', 200],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 200],
    ['*', 200],
    ['application/json;q=.5', 200],
    ['application/json;v="1;q=0";q=0.3;x=0', 200],
    ['application/json ; Q = 0.000', 406],
    ['*/*, application/json;q=0.', 406],
    ['', 200],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['application/json;q=0, */*', 406],
    ['*/*;q=0', 406],
    ['application/jsonp', 406],
  ])('sends JSON to whoever accepts it: %s', async (accept, status) => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const reply = await sendMessage(service, secret, INITIALIZE, { Accept: accept });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toStartWith('application/json');
    expect(await reply.json()).toMatchObject({ jsonrpc: '2.0' });
  });

  test('sends JSON to a client that sends no Accept', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const body = JSON.stringify(INITIALIZE);
    const { replies } = await rawExchange(service.port, [
      [
        'POST /mcp HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${secret}`,
        'Content-Type: application/json',
        'Connection: close',
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200]);
  });

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    ['2024-10-07', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('offers a revision of the protocol only whole: %s', async (asked, offered) => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const params = { ...INITIALIZE.params, protocolVersion: asked };
    const reply = await sendMessage(service, secret, { ...INITIALIZE, params });
    expect((await reply.json()).result.protocolVersion).toBe(offered);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const next = await sendMessage(service, secret, list, { 'MCP-Protocol-Version': asked });
    expect(next.status).toBe(asked === offered ? 200 : 400);
  });

  test('has no sessions, and takes only versions of the protocol that it knows', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const opened = await sendMessage(service, secret, INITIALIZE);
    expect(opened.headers.has('mcp-session-id')).toBe(false);
    expect(opened.headers.get('cache-control')).toBe('no-store');
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const versioned = (version: string) =>
      sendMessage(service, secret, list, { 'MCP-Protocol-Version': version });
    expect((await versioned('2025-06-18')).status).toBe(200);
    expect((await versioned('1999-01-01')).status).toBe(400);
    expect((await sendMessage(service, secret, list)).status).toBe(200);
  });
});

describe('a call of a tool', () => {
  test('counts like a request to the API: in the quota, the metrics, the log and the usage', async () => {
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => lines.push(line) });
    await using service = await TestService.start({
      parts: PARTS,
      log,
      clock: new ManualClock(),
    });
    const { account, key, secret } = await service.account(subscribe('free'));
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    await tools.client.listTools();
    const direct = await service.request('/pets', { key: secret });
    expect(direct.headers.get('x-ratelimit-remaining')).toBe('59');
    const { content } = await tools.call('createPet', { name: 'Biscuit', categoryId: '7' });
    expect(content.rateLimit).toMatchObject({ limit: 60, remaining: 58 });
    expect((await tools.call('createPet')).content.rateLimit).toMatchObject({ remaining: 57 });

    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
    for (const [status, count] of [
      [201, 1],
      [400, 1],
    ]) {
      expect(metrics).toContain(
        `petstore_request_duration_seconds_count{operation="createPet",status="${status}"} ${count}\n`,
      );
    }
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    const ofCall = requests.filter(({ requestId }) => requestId === content.requestId);
    expect(ofCall.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['POST', '/v1/pets', 201],
      ['POST', '/mcp', 200],
    ]);
    await service.runJobs();
    const [used] = await service.stores.keys.list(account.id);
    expect(used).toMatchObject({ id: key.id, lastUsedAt: expect.any(Number) });
    expect(lines.join()).not.toContain(secret);
  });

  test('has the request id that the client chose', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const reply = await sendMessage(service, secret, toolCall('listPets'), {
      'X-Request-Id': 'chosen-1',
    });
    expect(reply.headers.get('x-request-id')).toBe('chosen-1');
    expect(await reply.text()).toContain('"requestId":"chosen-1"');
  });

  test('is admitted exactly as often as the plan allows, also at the same time', async () => {
    await using service = await TestService.start({ parts: PARTS, clock: new ManualClock() });
    const { secret } = await service.account(
      subscribe('enterprise', { perMinute: 30, perDay: 1_000 }),
    );
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        tools.call('createPet', { name: `animal ${index}`, categoryId: String(index) }),
      ),
    );
    const made = outcomes.flatMap(({ content }) => content.result ?? []);
    expect(new Set(made.map(({ id }) => id)).size).toBe(30);
    for (const { name, categoryId } of made) expect(name).toBe(`animal ${categoryId}`);
    const refused = outcomes.filter(({ isError }) => isError);
    expect(refused.map(({ content }) => content.error?.code)).toEqual(
      Array.from({ length: 20 }, () => 'rate_limited'),
    );
  });

  test('reaches the environment of the key alone', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account(undefined, 'staging');
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    await tools.call('createPet', { name: 'Biscuit', categoryId: '7' });
    const { secret: production } = await service.account();
    expect(await (await service.request('/pets', { key: production })).json()).toEqual([]);
    const staged = await service.request('/pets', { key: secret, environment: 'staging' });
    expect(await staged.json()).toMatchObject([{ name: 'Biscuit' }]);
  });
});

test('messages that are no calls take nothing from the plan, and have a limit of their own', async () => {
  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const clock = new ManualClock();
  await using service = await TestService.start({ parts: PARTS, clock });
  const { secret } = await service.account(subscribe('free'));
  const statuses: number[] = [];
  // 600 requests, which is the limit of the dashboard, and 60 of the plan.
  for (let sent = 0; sent < 700; sent += 50) {
    const replies = Array.from({ length: 50 }, () => sendMessage(service, secret, PING));
    for (const reply of await Promise.all(replies)) statuses.push(reply.status);
  }
  expect(statuses.filter((status) => status === 200).length).toBe(660);
  const refused = await sendMessage(service, secret, PING);
  expect(refused.headers.get('retry-after')).toBe('60');
  await expectRefusal(refused, 429, 'rate_limited');
  const direct = await service.request('/pets', { key: secret });
  expect(readLimits(direct)).toMatchObject({ status: 200, remaining: 59 });
  clock.advance(MINUTE);
  expect((await sendMessage(service, secret, PING)).status).toBe(200);
});
