import { describe, expect, test } from 'bun:test';
import { rejection } from '../../client/testing/test-client.ts';
import { PARTS } from '../../src/config/config.ts';
import type { SessionInfo } from '../../src/dashboard/shared/api.ts';
import {
  createKey,
  customer,
  expectRefusal,
  keysOf,
  operator,
  sendMessage,
} from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { eventually, TestService } from '../support/harness.ts';
import { INITIALIZE, sendMessage as sendToolMessage } from '../support/mcp.ts';
import { refusalOf } from '../support/problem.ts';
import { runCommand } from '../support/process.ts';
import { callSandbox } from '../support/sandbox-scene.ts';

const REASON = 'Spam was sent';

const REFUSAL = {
  code: 'invalid_api_key',
  message: 'The account of this API key is suspended. Sign in to the dashboard to read why.',
  status: 401,
};

function suspend({ stores }: TestService, { accountId }: Visitor): Promise<boolean> {
  return stores.accounts.suspend(accountId, REASON, Date.now(), 'test');
}

function resume({ stores }: TestService, { accountId }: Visitor): Promise<boolean> {
  return stores.accounts.resume(accountId, Date.now(), 'test');
}

describe('while an account is suspended', () => {
  test('each of its keys is refused everywhere, and works again afterwards', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await customer(service);
    const live = (await createKey(visitor)).text;
    const staging = (await createKey(visitor, { environment: 'staging' })).text;
    const other = (await createKey(await customer(service))).text;
    const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });
    const asked = (): Promise<Response[]> =>
      Promise.all([
        service.request('/pets', { key: live }),
        service.request('/pets', { key: staging, environment: 'staging' }),
        callSandbox(service, staging),
        fetch(`${service.url('quickstart')}/messages`, { method: 'POST', ...bearer(live) }),
        sendToolMessage(service, live, INITIALIZE),
      ]);
    const before = (await asked()).map(({ status }) => status);
    expect(before).toEqual([200, 200, 200, 400, 200]);

    await suspend(service, visitor);

    for (const reply of await asked()) expect(await refusalOf(reply)).toEqual(REFUSAL);
    expect((await service.request('/pets', { key: other })).status).toBe(200);
    expect(await rejection(service.client(live).listPets())).toMatchObject(REFUSAL);
    await resume(service, visitor);
    expect((await asked()).map(({ status }) => status)).toEqual(before);
  });

  test('every other process refuses its keys, too', async () => {
    await using production = await TestService.start({ parts: ['production'] });
    const { path: folder } = production.folder;
    await using dashboard = await TestService.start({ parts: ['dashboard'], folder });
    const visitor = await customer(dashboard);
    const { text: key } = await createKey(visitor);
    const becomes = (status: number) =>
      eventually(async () => (await production.request('/pets', { key })).status === status);
    await becomes(200);
    const settings = { PETSTORE_DATA_DIR: folder };
    await runCommand(['accounts', 'suspend', visitor.email, '--reason', REASON], settings);
    await becomes(401);
    await runCommand(['accounts', 'resume', visitor.email], settings);
    await becomes(200);
  });

  test('its holder signs in, reads the reason, looks at everything and changes nothing', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await customer(service);
    const { key, text } = await createKey(visitor);
    await sendMessage(service, text, 'Hello');
    await suspend(service, visitor);
    await visitor.signIn();

    const { account } = await visitor.json<SessionInfo>('GET', '/api/session');
    expect(account?.suspended).toEqual({ at: expect.any(Number), reason: REASON });
    for (const path of ['keys', 'usage', 'messages', 'sandbox', 'staging/pets']) {
      expect([path, (await visitor.get(`/api/${path}`)).status]).toEqual([path, 200]);
    }
    const changes = [
      () => visitor.post('/api/keys', { name: 'new', environment: 'production' }),
      () => visitor.post(`/api/keys/${key.id}/rotate`, { overlap: '0' }),
      () => visitor.post('/api/sandbox/reset'),
      () => visitor.post('/api/production/pets', { name: 'Rex', categoryId: '1' }),
      () => visitor.post('/api/staging/pets/samples'),
      () => visitor.request('PUT', '/api/production/pets/1', { name: 'Rex' }),
      () => visitor.delete('/api/production/pets/1'),
      () => visitor.post('/api/auth/delete-user', { password: visitor.password }),
    ];
    for (const change of changes) {
      const message = await expectRefusal(await change(), 403, 'suspended');
      expect(message).toContain(`(${REASON})`);
      expect(message).toContain('revoke keys, end sessions, and change your password');
    }
    expect((await visitor.delete(`/api/keys/${key.id}`)).status).toBe(204);
    expect((await visitor.post('/api/auth/revoke-other-sessions')).status).toBe(200);
    const passwords = { currentPassword: visitor.password, newPassword: 'a long new one, really' };
    expect((await visitor.post('/api/auth/change-password', passwords)).status).toBe(200);
    expect((await visitor.post('/api/auth/second-factors/totp')).status).toBe(200);
    await resume(service, visitor);
    expect(await visitor.json('GET', '/api/session')).toMatchObject({
      account: { suspended: null },
    });
    expect(await keysOf(visitor)).toHaveLength(1);
    expect((await visitor.post('/api/keys', { name: 'b', environment: 'staging' })).status).toBe(
      201,
    );
  });

  test('an operator is one no more', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await operator(service);
    await suspend(service, visitor);
    await expectRefusal(await visitor.get('/api/operator/accounts'), 403, 'suspended');
  });
});

describe('the commands', () => {
  test('suspend and resume an account, with the reason on the audit log', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const settings = { PETSTORE_DATA_DIR: service.folder.path };
    const visitor = await Visitor.signUp(service);
    const accounts = (...args: string[]) => runCommand(['accounts', ...args], settings);

    const suspended = await accounts('suspend', visitor.email, '--reason', ` ${REASON} `, '--json');
    expect(JSON.parse(suspended.stdout)).toMatchObject({
      email: visitor.email,
      suspended: { at: expect.stringMatching(/^20.*Z$/), reason: REASON },
    });
    expect(await accounts('suspend', visitor.email, '--reason', REASON)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is suspended already.'),
    });
    expect(await accounts('resume', visitor.email)).toMatchObject({
      code: 0,
      stdout: `${visitor.email} is not suspended any more.\n`,
    });
    expect(await accounts('resume', visitor.email)).toMatchObject({ code: 1 });
    expect(await service.stores.audit.list(2)).toMatchObject([
      { action: 'account.resumed', accountId: visitor.accountId },
      { action: 'account.suspended', detail: REASON, by: expect.stringContaining('command line') },
    ]);
  });

  test('delete an account for good, once that is confirmed', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const settings = { PETSTORE_DATA_DIR: service.folder.path };
    const visitor = await Visitor.signUp(service);
    const { text: key } = await createKey(visitor);
    const created = await service.post(key, { name: 'Rex', categoryId: 1 });
    expect(created.status).toBe(201);
    const remove = (...args: string[]) =>
      runCommand(['accounts', 'delete', visitor.email, ...args], settings);
    expect(await remove()).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect((await service.request('/pets', { key })).status).toBe(200);

    const { code, stdout } = await remove('--yes', '--json');

    expect([code, JSON.parse(stdout)]).toEqual([0, { id: visitor.accountId, deleted: true }]);
    await eventually(async () => (await service.request('/pets', { key })).status === 401);
    await expectRefusal(await visitor.get('/api/keys'), 401, 'signed_out');
    const other = (await createKey(await customer(service))).text;
    expect((await service.client(other).listPets()).pets).toMatchObject([{ name: 'Rex' }]);
    expect(await remove('--yes')).toMatchObject({ code: 1, stdout: '' });
  });

  test.each([[[]], [['--reason', ' ']], [['--reason', 'two\nlines']]])(
    'refuse a suspension with %j',
    async (options) => {
      const settings = { PETSTORE_DATA_DIR: '/nonexistent' };
      const args = ['accounts', 'suspend', 'a@example.com', ...options];
      expect(await runCommand(args, settings)).toMatchObject({ code: 2, stdout: '' });
    },
  );
});
