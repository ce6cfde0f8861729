import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { OPERATION_IDS } from '../../src/api/all-operations.ts';
import { PARTS } from '../../src/config/config.ts';
import { ENVIRONMENTS } from '../../src/core/environments.ts';
import { ROUTES } from '../../src/dashboard/api/api.ts';
import type { SessionInfo } from '../../src/dashboard/shared/api.ts';
import { LIVE_PATH } from '../../src/dashboard/shared/live.ts';
import { customer, dashboardScene, expectRefusal } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';

const CHANGES = ROUTES.filter(({ method }) => method !== 'GET');

describe('GET /api/session', () => {
  test('shows a visitor the addresses, and no account', async () => {
    await using it = await dashboardScene({ PETSTORE_CONTACT: 'sales@example.com' });
    const visitor = new Visitor(it.service);
    expect(await visitor.json<SessionInfo>('GET', '/api/session')).toEqual({
      account: null,
      addresses: {
        production: it.service.url('production'),
        staging: it.service.url('staging'),
        quickstart: it.service.url('quickstart'),
        sandbox: it.service.url('sandbox'),
        dashboard: it.service.dashboardUrl,
      },
      operations: OPERATION_IDS,
      contact: 'sales@example.com',
      stability: 'experimental',
      sendsMail: false,
      now: it.clock.now().wall,
    });
  });

  test('shows who is signed in, with plan and limits', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const { account, contact } = await visitor.json<SessionInfo>('GET', '/api/session');
    expect(account).toEqual({
      id: visitor.accountId,
      email: visitor.email,
      role: 'customer',
      plan: 'free',
      limits: { perMinute: 60, perDay: 1_000 },
      createdAt: expect.any(Number),
      suspended: null,
    });
    expect(contact).toBeNull();
  });

  test('shows that mail is sent where a mail server is configured', async () => {
    await using it = await dashboardScene({
      PETSTORE_SMTP_URL: 'smtp://localhost:1',
      PETSTORE_MAIL_FROM: 'pets@example.com',
    });
    const info = await new Visitor(it.service).json<SessionInfo>('GET', '/api/session');
    expect(info.sendsMail).toBe(true);
  });
});

describe('every request', () => {
  test('except for GET /api/session requires a session', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = new Visitor(service);
    const closed = ROUTES.filter(({ path }) => path !== '/session');
    expect(closed).toHaveLength(ROUTES.length - 1);
    for (const { method, path } of closed) {
      await expectRefusal(await visitor.request(method, `/api${path}`), 401, 'signed_out');
    }
  });

  test('of a session that ended is refused', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const { cookie } = visitor;
    await visitor.post('/api/auth/sign-out');
    visitor.cookie = cookie;
    await expectRefusal(await visitor.get('/api/keys'), 401, 'signed_out');
  });

  test('that changes something is refused when another site sends it', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const foreign = [
      { Origin: 'https://example.org' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'null' },
    ];
    for (const headers of foreign) {
      for (const { method, path } of CHANGES) {
        const reply = await visitor.request(method, `/api${path}`, {}, headers);
        expect([method, path, headers, reply.status]).toEqual([method, path, headers, 403]);
        expect(await reply.json()).toMatchObject({ code: 'forbidden' });
      }
    }
  });

  test('gets a reply that must not be cached', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await customer(service);
    const open = ROUTES.filter(({ method, access }) => method === 'GET' && access !== 'operator');
    // The reply of the live channel does not end; it has its own test.
    for (const environment of ENVIRONMENTS) {
      await visitor.post(`/api/${environment}/pets`, { name: 'Rex', categoryId: '1' });
      await visitor.post(`/api/${environment}/orders`, { petId: 1 });
    }
    for (const { path: row } of open.filter(({ path }) => path !== LIVE_PATH)) {
      const path = row.replace('{id}', '1');
      const reply = await visitor.get(`/api${path}`);
      expect([path, reply.status]).toEqual([path, 200]);
      expect(reply.headers.get('Cache-Control')).toBe('no-store');
      expect(reply.headers.get('Content-Type')).toMatch(/^application\/json/);
    }
  });

  test('to an unknown path gets 404', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await customer(service);
    const paths = ['', '/', '/nothing', '/keys/', '/keys/a/b', '/keys/a/rotate/', '/session/x'];
    for (const path of paths) {
      await expectRefusal(await visitor.get(`/api${path}`), 404, 'not_found');
    }
  });

  test('by a method that is not served gets 405, with those that are', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await customer(service);
    const reply = await visitor.request('PUT', '/api/keys', {});
    expect(reply.headers.get('Allow')).toBe('GET, HEAD, POST');
    await expectRefusal(reply, 405, 'method_not_allowed');
    const rotation = await visitor.get('/api/keys/key_1/rotate');
    expect(rotation.headers.get('Allow')).toBe('POST');
    await expectRefusal(rotation, 405, 'method_not_allowed');
  });

  test('by HEAD gets the reply to GET without its body', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const reply = await (await customer(service)).request('HEAD', '/api/keys');
    expect([reply.status, await reply.text()]).toEqual([200, '']);
  });

  test('gets 503 while the store cannot write, and succeeds later', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await customer(service);
    const body = { name: 'test', environment: 'production' };
    const other = new Database(`${service.folder.path}/accounts.db`, { readwrite: true });
    try {
      other.run('BEGIN IMMEDIATE');
      const reply = await visitor.post('/api/keys', body);
      expect(reply.headers.get('Retry-After')).toBe('1');
      await expectRefusal(reply, 503, 'unavailable');
    } finally {
      other.close();
    }
    expect((await visitor.post('/api/keys', body)).status).toBe(201);
  });
});
