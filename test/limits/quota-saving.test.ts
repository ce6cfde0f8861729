import { expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import type { QuotaStore } from '../../src/core/limits/quota.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { BackgroundJobs } from '../../src/lib/scheduler.ts';
import { startLimiter } from '../../src/limits/persistence.ts';
import { openSqliteBackend } from '../storage/ports/sqlite-backend.ts';
import { ManualClock } from '../support/harness.ts';
import { ManualScheduler } from '../support/manual-scheduler.ts';

const CALLERS = 25_000;

function address(number: number) {
  return { id: `address:${number}`, limits: { perMinute: 5, perDay: 5 }, key: undefined };
}

test('quotas that cannot be saved are tried a part at a time, and none is left out once they can', async () => {
  await using backend = await openSqliteBackend();
  const quotas = backend.quotas('production');
  const clock = new ManualClock();
  const asked: number[] = [];
  let isFull = true;
  const filling: QuotaStore = {
    find: (caller) => quotas.find(caller),
    drop: (callers) => quotas.drop(callers),
    prune: (now) => quotas.prune(now),
    async save(changed) {
      asked.push(changed.length);
      if (isFull) throw new StorageUnavailable(new Error('disk full'));
      await quotas.save(changed);
    },
  };
  const scheduler = new ManualScheduler();
  const limiter = await startLimiter({
    environment: 'production',
    policy: { after: 10, base: MINUTE, maximum: DAY },
    quotas: filling,
    bans: backend.bans,
    clock,
    jobs: new BackgroundJobs(scheduler, clock, { failed: () => {}, recovered: () => {} }),
    onBan: () => {},
    onLostBan: () => {},
  });
  for (let number = 0; number < CALLERS; number += 1) {
    await limiter.take(address(number), clock.now());
  }

  for (let run = 0; run < 3; run += 1) await scheduler.run('save production quotas');
  expect(asked).toEqual([500, 500, 500]);
  isFull = false;
  await scheduler.run('save production quotas');
  const kept = await Promise.all(
    Array.from({ length: CALLERS }, async (_, number) => quotas.find(address(number).id)),
  );
  expect(kept.filter((quota) => quota?.dayUsed === 1)).toHaveLength(CALLERS);
});
