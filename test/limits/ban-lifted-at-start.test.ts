import { expect, test } from 'bun:test';
import { readConfig } from '../../src/config/config.ts';
import type { BanStore } from '../../src/core/limits/ban-records.ts';
import { startBackgroundJobs } from '../../src/jobs/background-jobs.ts';
import { Readiness } from '../../src/lib/readiness.ts';
import { BackgroundJobs } from '../../src/lib/scheduler.ts';
import { Metrics } from '../../src/observability/metrics.ts';
import { banScene, provokeBan, recordedBan } from '../support/ban-scene.ts';
import { SILENT_LOG } from '../support/harness.ts';
import { ManualScheduler } from '../support/manual-scheduler.ts';

test('a ban that is lifted while a process starts is lifted in that process, too', async () => {
  await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });
  await provokeBan(it, 1);
  const ban = await recordedBan(it);
  const { stores } = it.service;
  const bans: BanStore = {
    begin: (each) => stores.bans.begin(each),
    findAll: (ids) => stores.bans.findAll(ids),
    record: (each) => stores.bans.record(each),
    active: (now) => stores.bans.active(now),
    lifted: (now) => stores.bans.lifted(now),
    lift: (...given) => stores.bans.lift(...given),
    ofAccount: (...given) => stores.bans.ofAccount(...given),
    async latest(since) {
      const found = await stores.bans.latest(since);
      await stores.bans.lift(ban.id, 'test', it.clock.now().wall);
      return found;
    },
  };
  const scheduler = new ManualScheduler();
  const readiness = new Readiness();
  const { limiters } = await startBackgroundJobs({
    parts: ['production'],
    leases: new Map([['production', { release() {} }]]),
    config: readConfig({}),
    stores: { ...stores, bans },
    redis: undefined,
    clock: it.clock,
    log: SILENT_LOG,
    metrics: new Metrics({ ...stores, readiness }, it.clock),
    readiness,
    jobs: new BackgroundJobs(scheduler, it.clock, { failed: () => {}, recovered: () => {} }),
  });
  const caller = { id: `account:${it.account.id}`, limits: it.account.limits, key: it.key };
  const outcome = async () =>
    (await limiters.get('production')?.take(caller, it.clock.now()))?.outcome;
  expect(await outcome()).toBe('banned');
  await scheduler.run('watch for changes');
  expect(await outcome()).not.toBe('banned');
});
