import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import type {
  AccountDetailsInfo,
  AuditInfo,
  OverviewInfo,
  ResetLinkInfo,
} from '../../src/dashboard/shared/operator.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  operator,
} from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';

const REASON = 'Spam was sent';

function details(boss: Visitor, { accountId }: Visitor): Promise<AccountDetailsInfo> {
  return boss.json('GET', `/api/operator/accounts/${accountId}`);
}

describe('an operator', () => {
  test('sees everything about an account in one place', async () => {
    await using it = await dashboardScene();
    const boss = await operator(it.service);
    const other = await customer(it.service);
    const { key, text } = await createKey(other);
    await it.service.request('/pets', { key: text });
    await it.service.request('/pets/999', { key: text });
    await it.service.runJobs();
    const shown = await details(boss, other);
    expect(shown).toMatchObject({
      account: { id: other.accountId, email: other.email, suspended: null },
      keys: [{ id: key.id, state: 'active' }],
      usage: {
        production: {
          last24Hours: { succeeded: 1, clientErrors: 1, limited: 0, serverErrors: 0 },
          minute: { limit: 1_000_000, remaining: 999_998 },
        },
        staging: { last30Days: { succeeded: 0 } },
      },
      bans: [],
      sessions: [{ secondFactor: null }],
      secondFactors: { hasTotp: false, passkeys: 0 },
    });
    expect(shown.audit[0]).toMatchObject({ action: 'key.created', email: other.email });
    const none = await boss.get('/api/operator/accounts/acct_none');
    await expectRefusal(none, 404, 'not_found');
    const overview = await boss.json<OverviewInfo>('GET', '/api/operator/overview');
    expect(overview).toMatchObject({
      requests: { succeeded: 1, clientErrors: 1, limited: 0, serverErrors: 0 },
      bansInForce: 0,
      lastBackup: null,
    });
    expect(overview.operations.map(({ operation }) => operation).sort()).toEqual([
      'getPet',
      'listPets',
    ]);
    expect(overview.checks).toContainEqual({ name: 'store', problem: null });
    const counts = { succeeded: 1, clientErrors: 1, limited: 0, serverErrors: 0 };
    expect(overview.hours).toHaveLength(24);
    expect(overview.hours.at(-1)).toMatchObject(counts);
    expect(overview.accounts).toEqual([{ id: other.accountId, email: other.email, ...counts }]);
    const limited = await boss.json<OverviewInfo>('GET', '/api/operator/overview?by=limited');
    expect(limited.accounts).toEqual([]);
    const wrong = await boss.get('/api/operator/overview?by=constructor');
    await expectRefusal(wrong, 400, 'invalid');
  });

  test('sees that Redis is unavailable, and the process is ready all the same', async () => {
    const settings = { PETSTORE_REDIS_URL: 'redis://127.0.0.1:1' };
    await using service = await TestService.start({ parts: PARTS, settings });
    const boss = await operator(service);
    const { checks } = await boss.json<OverviewInfo>('GET', '/api/operator/overview');
    expect(checks.at(-1)?.name).toBe('redis');
    expect(checks.at(-1)?.problem).toContain('is unavailable');
    expect((await fetch(`${service.opsUrl}/readyz`)).status).toBe(200);
  });

  test('suspends, resumes, ends sessions, revokes a key and makes a reset link', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const boss = await operator(service);
    const other = await customer(service);
    const { key, text } = await createKey(other);
    const path = `/api/operator/accounts/${other.accountId}`;
    const status = async () => (await service.request('/pets', { key: text })).status;

    expect((await boss.post(`${path}/suspend`, { reason: ` ${REASON} ` })).status).toBe(204);
    expect(await status()).toBe(401);
    expect((await details(boss, other)).account.suspended).toMatchObject({ reason: REASON });
    await expectRefusal(await boss.post(`${path}/suspend`, { reason: 'x' }), 409, 'conflict');
    await expectRefusal(await boss.post(`${path}/suspend`, { reason: ' ' }), 400, 'invalid');
    expect((await boss.post(`${path}/resume`)).status).toBe(204);
    expect(await status()).toBe(200);
    await expectRefusal(await boss.post(`${path}/resume`), 409, 'conflict');

    expect((await boss.post(`/api/operator/keys/${key.id}/revoke`)).status).toBe(204);
    expect(await status()).toBe(401);
    await expectRefusal(await boss.post(`/api/operator/keys/${key.id}/revoke`), 409, 'conflict');

    expect((await boss.post(`${path}/end-sessions`)).status).toBe(204);
    await expectRefusal(await other.get('/api/keys'), 401, 'signed_out');
    expect((await details(boss, other)).sessions).toEqual([]);

    const { link } = await boss.json<ResetLinkInfo>('POST', `${path}/reset-link`);
    const body = { token: link.split('#token=')[1], newPassword: 'a wholly new password' };
    await new Visitor(service).json('POST', '/api/auth/reset-password', body);
    await Visitor.signIn(service, other.email, body.newPassword);
    const { audit } = await details(boss, other);
    expect(audit.slice(0, 7).map(({ action, by }) => [action, by])).toEqual([
      ['session.signed_in', other.email],
      ['password.changed', other.email],
      ['account.reset_link_made', boss.email],
      ['account.sessions_ended', boss.email],
      ['key.revoked', boss.email],
      ['account.resumed', boss.email],
      ['account.suspended', boss.email],
    ]);
  });

  test('deletes an account once its address is entered', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const boss = await operator(service);
    const other = await customer(service);
    const path = `/api/operator/accounts/${other.accountId}/delete`;
    await expectRefusal(await boss.post(path, { email: 'x@example.com' }), 400, 'invalid');
    expect((await boss.post(path, { email: other.email.toUpperCase() })).status).toBe(204);
    expect(await service.stores.accounts.find(other.accountId)).toBeUndefined();
    await expectRefusal(await boss.post(path, { email: other.email }), 404, 'not_found');
  });

  test('does not lock out, take over or delete an operator', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const boss = await operator(service);
    const peer = await operator(service);
    for (const { accountId, email } of [boss, peer]) {
      const path = `/api/operator/accounts/${accountId}`;
      await expectRefusal(await boss.post(`${path}/suspend`, { reason: 'x' }), 409, 'conflict');
      await expectRefusal(await boss.post(`${path}/reset-link`), 409, 'conflict');
      await expectRefusal(await boss.post(`${path}/delete`, { email }), 409, 'conflict');
    }
  });
});

describe('the audit log of the dashboard', () => {
  test('names accounts, and is filtered by account, actor, action and time', async () => {
    await using it = await dashboardScene();
    const boss = await operator(it.service);
    const other = await customer(it.service);
    await boss.post(`/api/operator/accounts/${other.accountId}/suspend`, { reason: '=1+1' });
    const list = async (query: string) => {
      const path = `/api/operator/audit?${query}`;
      return (await boss.json<{ entries: AuditInfo[] }>('GET', path)).entries;
    };
    const actions = async (query: string) => (await list(query)).map(({ action }) => action);
    const about = `account=${encodeURIComponent(other.email.toUpperCase())}`;
    expect(await actions(about)).toEqual([
      'account.suspended',
      'account.plan_changed',
      'session.signed_in',
      'account.created',
    ]);
    expect(await actions(`account=${other.accountId}&action=account.created`)).toHaveLength(1);
    expect(await list(`actor=${boss.email.slice(0, 6)}&action=account.suspended`)).toMatchObject([
      { by: boss.email, email: other.email, accountId: other.accountId },
    ]);
    expect(await actions('actor=nobody')).toEqual([]);
    expect(await actions('account=nobody@example.com')).toEqual([]);
    expect(await actions('to=2001-01-01')).toEqual([]);
    // The end of 9999-12-31.
    const end = encodeURIComponent('+010000-01-01T00:00:00.000Z');
    expect(await actions(`to=${end}&${about}`)).toHaveLength(4);
    expect(await actions(`from=${end}`)).toEqual([]);
    // A time without a zone would be in the time zone of the machine.
    const times = [
      'from=soon',
      'from=2027-01-31T12:00',
      'to=2027-02',
      'to=2027-13-01',
      'to=2027-02-30',
      'to=%2B010000-02-30',
      'to=10000-01-01',
    ];
    for (const wrong of ['action=bogus', 'before=x', 'format=xml', ...times]) {
      await expectRefusal(await boss.get(`/api/operator/audit?${wrong}`), 400, 'invalid');
    }
    const reply = await boss.get(`/api/operator/audit?${about}&format=csv`);
    expect(reply.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    const [names, first] = (await reply.text()).split('\r\n');
    expect(names).toBe('at,actor,action,account,account id,detail,device,address');
    expect(first).toEndWith(
      `,${boss.email},account.suspended,${other.email},${other.accountId},'=1+1,,`,
    );
  });
});
