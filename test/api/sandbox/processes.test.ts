import { expect, test } from 'bun:test';
import { createKey } from '../../support/dashboard-scene.ts';
import { Visitor } from '../../support/dashboard-visitor.ts';
import { AMPLE, eventually, TestService } from '../../support/harness.ts';
import { listPets, sandbox } from '../../support/sandbox-scene.ts';

test('the dashboard in a process of its own changes what another process serves', async () => {
  await using staging = await TestService.start({ parts: ['staging'] });
  const folder = staging.folder.path;
  await using dashboard = await TestService.start({ parts: ['dashboard'], folder });
  const visitor = await Visitor.signUp(dashboard);
  // So that the requests that wait for a 429 do not use up the minute themselves.
  const { accounts } = dashboard.stores;
  await accounts.setSubscription(visitor.accountId, AMPLE, Date.now(), 'test');
  const { key, text } = await createKey(visitor, { name: 'ci', environment: 'staging' });
  const becomes = (status: number) =>
    eventually(async () => (await listPets(staging, text)).status === status);
  await becomes(200);

  await visitor.put('/api/sandbox/usage', { minuteRemaining: 0 });
  await becomes(429);
  await visitor.request('POST', '/api/sandbox/clock', { advanceSeconds: 86_400 });
  await becomes(200);
  expect(await sandbox(staging, text)).toMatchObject({ clock: { offsetSeconds: 86_400 } });
  await visitor.put(`/api/sandbox/bans/${key.id}`, { seconds: 3_600 });
  await becomes(429);
  await visitor.request('POST', '/api/sandbox/reset', {});
  await becomes(200);
});
