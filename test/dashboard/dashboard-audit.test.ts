import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import type { IssuedKeyInfo, KeyInfo } from '../../src/dashboard/shared/api.ts';
import type { AuditInfo } from '../../src/dashboard/shared/operator.ts';
import { ONE, provokeBan } from '../support/ban-scene.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  operator,
} from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { onFolder } from '../support/storage.ts';

async function audit(visitor: Visitor, before?: number): Promise<readonly AuditInfo[]> {
  const query = before === undefined ? '' : `?before=${before}`;
  const path = `/api/operator/audit${query}`;
  const { entries } = await visitor.json<{ entries: readonly AuditInfo[] }>('GET', path);
  return entries;
}

/** The entries after `last`, oldest first, without numbers and times. */
async function recordedSince(visitor: Visitor, last: AuditInfo | undefined) {
  const fresh = (await audit(visitor)).filter(({ number }) => number > (last?.number ?? 0));
  return fresh.reverse().map(({ by, action, accountId, detail }) => {
    return { by, action, accountId, detail };
  });
}

test('the audit log holds changes in the dashboard, and by whom', async () => {
  await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
  const visitor = await operator(it.service);
  const other = await customer(it.service, ONE);
  const { accountId } = other;
  const [last] = await audit(visitor);

  const first = await createKey(other, { name: 'mine' });
  const second = await other.json<IssuedKeyInfo>('POST', `/api/keys/${first.key.id}/rotate`, {
    overlap: '24h',
  });
  await provokeBan({ ...it, secret: second.text }, 1);
  await it.service.runJobs('record production bans');
  const [ban] = await it.service.stores.bans.active(it.clock.now().wall);
  await visitor.post(`/api/operator/bans/${ban?.id}/lift`);
  await visitor.put(`/api/operator/accounts/${accountId}/plan`, { plan: 'business' });
  await other.delete(`/api/keys/${second.key.id}`);

  const named = ({ id, prefix, lastFour }: KeyInfo) =>
    `production key "mine" (${prefix}…${lastFour}, ${id})`;
  const business = 'business: 1000 a minute, 100000 a day';
  const lifted = `${ban?.id} of key ${second.key.id}`;
  const rotated = `${first.key.id}, followed by ${named(second.key)}`;
  expect(await recordedSince(visitor, last)).toEqual([
    { by: other.email, action: 'key.created', accountId, detail: named(first.key) },
    { by: other.email, action: 'key.rotated', accountId, detail: rotated },
    { by: visitor.email, action: 'ban.lifted', accountId, detail: lifted },
    { by: visitor.email, action: 'account.plan_changed', accountId, detail: business },
    { by: other.email, action: 'key.revoked', accountId, detail: named(second.key) },
  ]);
  const [{ at } = { at: 0 }] = await audit(visitor);
  expect(at).toBe(it.clock.now().wall);
});

test('the audit log holds changes by commands, and which user of the machine ran them', async () => {
  // The commands use the machine's clock.
  const clock = new ManualClock(Date.now());
  await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' }, clock);
  const visitor = await operator(it.service);
  const other = await customer(it.service, ONE);
  const { text } = await createKey(other);
  await provokeBan({ ...it, secret: text }, 1);
  await it.service.runJobs('record production bans');
  const [ban] = await it.service.stores.bans.active(it.clock.now().wall);
  const [last] = await audit(visitor);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, onFolder(it.service.folder.path));
    expect([args, code, stderr]).toEqual([args, 0, '']);
    return stdout;
  };

  await run('accounts', 'create', 'new@example.com');
  await run('accounts', 'set-plan', 'new@example.com', 'pro');
  const made = JSON.parse(await run('keys', 'create', 'new@example.com', '--json'));
  await run('keys', 'revoke', made.id);
  await run('bans', 'lift', ban?.id ?? '');

  const account = await it.service.stores.accounts.findByEmail('new@example.com');
  const by = expect.stringMatching(/^command line: \S+$/);
  const accountId = account?.id ?? '';
  const free = 'new@example.com, free: 60 a minute, 1000 a day';
  const pro = 'pro: 300 a minute, 10000 a day';
  const key = expect.stringContaining(made.id);
  const lifted = expect.stringContaining(ban?.id ?? '');
  expect(await recordedSince(visitor, last)).toEqual([
    { by, action: 'account.created', accountId, detail: free },
    { by, action: 'account.plan_changed', accountId, detail: pro },
    { by, action: 'key.created', accountId, detail: key },
    { by, action: 'key.revoked', accountId, detail: key },
    { by, action: 'ban.lifted', accountId: other.accountId, detail: lifted },
  ]);
  for (const { detail } of await audit(visitor)) expect(detail).not.toContain(made.key);
});

test('the audit log holds no refused change', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = await operator(service);
  const [last] = await audit(visitor);
  await visitor.put('/api/operator/accounts/acct_none/plan', { plan: 'pro' });
  await visitor.put(`/api/operator/accounts/${visitor.accountId}/plan`, { plan: 'gold' });
  await visitor.post('/api/operator/bans/ban_none/lift');
  await visitor.post('/api/keys', { name: '', environment: 'production' });
  await visitor.delete('/api/keys/key_none');
  expect(await recordedSince(visitor, last)).toEqual([]);
});

test('the audit log comes in pages of 50, the newest first', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = await operator(service);
  const { accounts } = service.stores;
  for (let made = 0; made < 60; made += 1) {
    await accounts.setRole(visitor.accountId, 'operator', made, 'test');
  }
  const first = await audit(visitor);
  const second = await audit(visitor, first.at(-1)?.number);
  expect(first.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, index) => 59 - index));
  expect(second.slice(0, 10).map(({ at }) => at)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(await audit(visitor, second.at(-1)?.number)).toEqual([]);
});

test.each(['x', '0', '-1', '1.5', '9'.repeat(30), ''])('before=%s is refused', async (before) => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = await operator(service);
  const reply = await visitor.get(`/api/operator/audit?before=${before}`);
  expect(await expectRefusal(reply, 400, 'invalid')).toContain('"before"');
});
