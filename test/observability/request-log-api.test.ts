import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import type { FoundRequest, RequestPage } from '../../src/dashboard/shared/requests.ts';
import { SECOND } from '../../src/lib/clock.ts';
import {
  createKey,
  customer,
  type DashboardScene,
  dashboardScene,
  expectRefusal,
  operator,
} from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';

async function save({ clock, service }: DashboardScene): Promise<void> {
  clock.advance(SECOND);
  await service.runJobs('save the request log');
}

function requests(visitor: Visitor, query = ''): Promise<RequestPage> {
  return visitor.json('GET', `/api/requests${query}`);
}

/** Sends two requests, one in each environment; the one in staging fails. */
async function twoRequests() {
  const it = await dashboardScene();
  const visitor = await customer(it.service);
  const production = await createKey(visitor, { name: 'shop' });
  const staging = await createKey(visitor, { name: 'tests', environment: 'staging' });
  const headers = { 'X-Request-Id': 'failed-1', 'User-Agent': '=cmd,"x"' };
  await it.service.request('/pets?limit=2', { key: production.text });
  await it.service.request('/pets/77', { key: staging.text, environment: 'staging', headers });
  await save(it);
  return {
    ...it,
    ...{ visitor, production, staging },
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  };
}

describe('the requests in the dashboard', () => {
  test('say why one failed and what to do, by its X-Request-Id', async () => {
    await using it = await twoRequests();
    const { requests: found, errors, kept } = await requests(it.visitor, '?id=failed-1');
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      requestId: 'failed-1',
      environment: 'staging',
      keyId: it.staging.key.id,
      keyName: 'tests',
      keyEnding: it.staging.key.lastFour,
      path: '/staging/v1/pets/77',
      url: `${it.service.url('staging')}/pets/77`,
      status: 404,
      code: 'pet_not_found',
      message: 'No animal has the id 77. List animals to see their ids.',
      headers: { 'X-RateLimit-Limit': '1000000', 'X-RateLimit-Remaining': '999999' },
    });
    expect(errors['pet_not_found']).toMatchObject({
      meaning: expect.any(String),
      cause: expect.any(String),
      cure: expect.any(String),
    });
    expect(kept).toEqual({ days: 7, perMinute: 1_000, requests: 10_000 });
  });

  test('have the host that served them, also where only hosts differ', async () => {
    const [quickstart, sandbox] = ['http://quickstart.localhost', 'http://sandbox.localhost'];
    await using it = await dashboardScene({
      PETSTORE_QUICKSTART_BASE_URL: quickstart,
      PETSTORE_SANDBOX_BASE_URL: sandbox,
    });
    const visitor = await customer(it.service);
    const { text } = await createKey(visitor, { environment: 'staging' });
    const asked = [`${quickstart}/messages`, `${sandbox}/`, `${it.service.url('staging')}/pets/7`];
    for (const url of asked) {
      const { host, pathname } = new URL(url);
      const headers = { Host: host, Authorization: `Bearer ${text}` };
      await fetch(`http://localhost:${it.service.port}${pathname}`, { headers });
      await save(it);
    }
    const { requests: logged } = await requests(visitor);
    expect(logged.map(({ url }) => url)).toEqual(asked.toReversed());
  });

  test('show the headers about limits exactly as the reply had them', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(
      it.service,
      subscribe('enterprise', { perMinute: 1, perDay: 9 }),
    );
    const { text } = await createKey(visitor);
    await it.service.request('/pets', { key: text });
    it.clock.advance(1_234);
    const { headers } = await it.service.request('/pets', { key: text });
    await save(it);
    const [refused] = (await requests(visitor, '?status=429')).requests;
    expect(refused?.headers['Retry-After']).toBeDefined();
    for (const [name, value] of Object.entries(refused?.headers ?? {})) {
      expect([name, value]).toEqual([name, headers.get(name) ?? '']);
    }
  });

  test('are filtered by environment, key, status, code, path and time', async () => {
    await using it = await twoRequests();
    const at = it.clock.now().wall - SECOND;
    const iso = (moment: number) => encodeURIComponent(new Date(moment).toISOString());
    const matching = [
      ...['environment=staging', `key=${it.staging.key.id}`, 'status=4xx', 'status=404'],
      ...['code=pet_not_found', 'path=pets%2F77', `status=4xx&from=${iso(at)}&to=${iso(at)}`],
      // The last moment of time fields, in a time zone behind UTC.
      `status=4xx&to=${iso(Date.parse('9999-12-31T23:59:00-05:00'))}`,
    ];
    for (const query of matching) {
      const page = await requests(it.visitor, `?${query}`);
      expect([query, page.requests.map(({ status }) => status)]).toEqual([query, [404]]);
    }
    for (const query of [
      'status=5xx',
      'code=rate_limited',
      'path=%00',
      `from=${iso(at + 1)}`,
      'id=other',
    ]) {
      expect([query, (await requests(it.visitor, `?${query}`)).requests]).toEqual([query, []]);
    }
    // A time without a zone would be in the time zone of the machine.
    const times = ['from=soon', 'from=1', 'to=June', 'to=2027-01-31T12:00', 'to=2027-02-30'];
    for (const query of ['environment=moon', 'status=abc', 'format=xml', 'before=1', ...times]) {
      await expectRefusal(await it.visitor.get(`/api/requests?${query}`), 400, 'invalid');
    }
  });

  test('come in pages, newest first', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { text } = await createKey(visitor);
    for (let second = 0; second < 6; second += 1) {
      for (let count = 0; count < 20; count += 1) {
        await it.service.request(`/pets?limit=${second + 1}`, { key: text });
      }
      it.clock.advance(SECOND);
    }
    await save(it);
    const ids: string[] = [];
    const times: number[] = [];
    const sizes: number[] = [];
    for (let query = ''; ; ) {
      const page = await requests(visitor, query);
      sizes.push(page.requests.length);
      ids.push(...page.requests.map(({ id }) => id));
      times.push(...page.requests.map(({ at }) => at));
      if (page.next === null) break;
      query = `?before=${page.next}`;
    }
    expect(sizes).toEqual([50, 50, 20]);
    expect(new Set(ids).size).toBe(120);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test('are downloaded as CSV and JSON, with the filters', async () => {
    await using it = await twoRequests();
    const all = await it.visitor.get('/api/requests?format=csv');
    expect(all.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(all.headers.get('Content-Disposition')).toBe('attachment; filename="requests.csv"');
    const lines = (await all.text()).trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toStartWith('at,requestId,environment,keyId,method,path,status,code,message');
    // The field is not a formula for a spreadsheet.
    expect(lines.join()).toContain(`"'=cmd,""x"""`);
    const some = await it.visitor.get('/api/requests?format=json&status=4xx');
    expect(await some.json()).toEqual([
      expect.objectContaining({ requestId: 'failed-1', status: 404, simulated: false }),
    ]);
    const none = await it.visitor.get('/api/requests?format=json&status=5xx');
    expect(await none.json()).toEqual([]);
  });

  test('are those of the account alone; operators see those of any account', async () => {
    await using it = await twoRequests();
    const stranger = await customer(it.service);
    expect((await requests(stranger)).requests).toEqual([]);
    expect((await requests(stranger, '?id=failed-1')).requests).toEqual([]);
    const { accountId } = it.visitor;
    const ofAccount = `/api/operator/accounts/${accountId}/requests`;
    await expectRefusal(await stranger.get(ofAccount), 403, 'forbidden');
    await expectRefusal(await stranger.get('/api/operator/requests?id=x'), 403, 'forbidden');
    const boss = await operator(it.service);
    const page = await boss.json<RequestPage>('GET', `${ofAccount}?status=4xx`);
    expect(page.requests.map(({ requestId }) => requestId)).toEqual(['failed-1']);
    const found = await boss.json<{ requests: FoundRequest[] }>(
      'GET',
      '/api/operator/requests?id=failed-1',
    );
    expect(found.requests).toEqual([expect.objectContaining({ accountId, status: 404 })]);
    const unknown = await boss.get('/api/operator/accounts/acct_none/requests');
    await expectRefusal(unknown, 404, 'not_found');
  });
});
