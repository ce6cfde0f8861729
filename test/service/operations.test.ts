import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { eventually, ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { rawExchange } from '../support/raw.ts';

/** The value of a sample, by its name and labels as Prometheus writes them. */
async function sample(service: TestService, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

describe('the port for operators', () => {
  test('says live and ready, and nothing more is there', async () => {
    await using service = await TestService.start();
    const get = async (path: string) => {
      const reply = await fetch(service.opsUrl + path);
      return [reply.status, await reply.text()];
    };
    expect(await get('/livez')).toEqual([200, 'live\n']);
    expect(await get('/readyz?verbose')).toEqual([200, 'ready\n']);
    expect((await get('/pets'))[0]).toBe(404);
    expect((await fetch(`${service.opsUrl}/livez`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${service.url()}/../metrics`)).status).not.toBe(200);
  });

  test('is not ready while requests under way are being answered, and then gone', async () => {
    using folder = temporaryFolder();
    await using service = await ServiceProcess.start({ PETSTORE_DATA_DIR: folder.path });
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const { stdout } = await runCommand(['keys', 'create', 'a@example.com'], settings);
    // A request with an incomplete body prolongs the drain of the process.
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const body = writable.getWriter();
    const send = (text: string) => body.write(new TextEncoder().encode(text));
    const reply = fetch(`${service.url()}/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stdout.trim()}`, 'Content-Type': 'application/json' },
      body: readable,
    });
    await send('{"name":"Rex",');
    const ready = () => fetch(`http://localhost:${service.opsPort}/readyz`);
    await eventually(async () => (await ready()).status === 200);
    const ended = service.end('SIGTERM');
    await eventually(async () => (await ready()).status === 503);
    const draining = await ready();
    expect(await draining.text()).toBe('draining\n');
    expect(draining.headers.get('connection')).toBe('close');
    // The connection ends with the reply, although the request does not ask for this.
    const { replies } = await rawExchange(service.opsPort, [
      'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ]);
    expect(replies).toMatchObject([{ status: 200, headers: { connection: 'close' } }]);
    await send('"categoryId":1}');
    await body.close();
    expect((await reply).status).toBe(201);
    expect(await ended).toBe(0);
  });

  test('that is in use is reported with the setting to change', async () => {
    await using service = await TestService.start();
    using folder = temporaryFolder();
    const { code, stderr } = await runCommand(['serve'], {
      PETSTORE_PORT: '0',
      PETSTORE_OPS_PORT: new URL(service.opsUrl).port,
      PETSTORE_DATA_DIR: folder.path,
    });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('it is in use. Set PETSTORE_OPS_PORT.'),
    ]);
  });
});

describe('metrics', () => {
  test('count requests by operation and status, and how long they took', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const client = service.client(secret);
    await client.listPets();
    await client.listPets();
    await client.createPet({ name: 'Rex', categoryId: 1 });
    await service.request('/pets');
    await service.request('/nothing', { key: secret });
    const count = (labels: string) =>
      sample(service, `petstore_request_duration_seconds_count{${labels}}`);
    expect(await count('operation="listPets",status="200"')).toBe(2);
    expect(await count('operation="listPets",status="401"')).toBe(1);
    expect(await count('operation="createPet",status="201"')).toBe(1);
    expect(await count('operation="none",status="404"')).toBe(1);
  });

  test('count quota decisions and bans', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock, settings: { PETSTORE_BAN_AFTER: '1' } });
    const one = subscribe('enterprise', { perMinute: 1, perDay: 10 });
    const { secret } = await service.account(one);
    const ask = () => service.request('/pets', { key: secret });
    await ask();
    await ask();
    clock.advance(3 * SECOND);
    await ask();
    await ask();
    const decided = (outcome: string) =>
      sample(service, `petstore_quota_decisions_total{outcome="${outcome}"}`);
    expect(await decided('admitted')).toBe(1);
    expect(await decided('limited')).toBe(1);
    expect(await decided('banned')).toBe(2);
    expect(await sample(service, 'petstore_bans_total{environment="production"}')).toBe(1);
  });

  test('count no quota decision for a request that uses no quota', async () => {
    await using service = await TestService.start();
    await service.request('/openapi.json');
    const headers = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' };
    await service.request('/pets', { method: 'OPTIONS', headers });
    expect(await sample(service, 'petstore_quota_decisions_total{outcome="admitted"}')).toBe(0);
  });

  test('have counters that begin at zero, so that the first of anything is a rise', async () => {
    await using service = await TestService.start();
    const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
    for (const outcome of ['admitted', 'limited', 'banned']) {
      expect(text).toContain(`petstore_quota_decisions_total{outcome="${outcome}"} 0\n`);
    }
    expect(text).toContain('petstore_bans_total{environment="staging"} 0\n');
    const typed = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({
      name,
      type,
    }));
    const totals = typed.filter(({ name = '' }) => name.endsWith('_total'));
    expect(totals.length).toBeGreaterThan(4);
    for (const { name, type } of totals) expect([name, type]).toEqual([name, 'counter']);
  });

  test('tell of commits, queues, the event loop and the release', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const before = (await sample(service, 'petstore_commit_batch_size_sum')) ?? 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        service.client(secret).createPet({ name: 'Rex', categoryId: 1 }),
      ),
    );
    const after = (await sample(service, 'petstore_commit_batch_size_sum')) ?? 0;
    expect(after - before).toBeGreaterThanOrEqual(20);
    expect(await sample(service, 'petstore_database_duration_seconds_count')).toBeGreaterThan(0);
    expect(await sample(service, 'petstore_database_errors_total')).toBe(0);
    // A background job may be writing now.
    await eventually(async () => (await sample(service, 'petstore_writes_waiting')) === 0);
    expect(await sample(service, 'petstore_messages_queued')).toBe(0);
    await eventually(
      async () => ((await sample(service, 'petstore_event_loop_lag_seconds_count')) ?? 0) > 0,
    );
    const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
    expect(text).toMatch(/petstore_build_info\{version="1\.0\.0",bun="[\d.]+"\} 1/);
  });
});

describe('X-Request-Id', () => {
  test('that was sent comes back, also on refusals', async () => {
    await using service = await TestService.start();
    const headers = { 'X-Request-Id': 'order-42/try:1' };
    const reply = await service.request('/pets', { headers });
    expect([reply.status, reply.headers.get('X-Request-Id')]).toEqual([401, 'order-42/try:1']);
  });

  test('is made where none was sent, another one for each request', async () => {
    await using service = await TestService.start();
    const id = async () => (await service.request('/pets')).headers.get('X-Request-Id') ?? '';
    const [first, second] = [await id(), await id()];
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).not.toBe(first);
  });

  test.each(['two words', 'x'.repeat(129), 'pst_live_0123456789', 'a\tb', 'é'])(
    'that makes no sense, or could be a key, is not taken: %p',
    async (sent) => {
      await using service = await TestService.start();
      const reply = await service.request('/pets', { headers: { 'X-Request-Id': sent } });
      expect(reply.headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
    },
  );
});
