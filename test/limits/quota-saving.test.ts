import { expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import type { QuotaStore } from '../../src/core/quota.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { Upkeep } from '../../src/lib/scheduler.ts';
import { startLimiter } from '../../src/limits/persistence.ts';
import { openSqliteBackend } from '../storage/ports/sqlite-backend.ts';
import { ManualClock } from '../support/harness.ts';

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
  const upkeep = new Upkeep(clock, { failed: () => {}, recovered: () => {} });
  const limiter = await startLimiter({
    environment: 'production',
    policy: { after: 10, base: MINUTE, maximum: DAY },
    quotas: filling,
    bans: backend.bans,
    clock,
    upkeep,
    onBan: () => {},
    onLostBan: () => {},
  });
  for (let number = 0; number < CALLERS; number += 1) {
    await limiter.take(address(number), clock.now());
  }

  // Saves once, as at every turn.
  for (let turn = 0; turn < 3; turn += 1) await upkeep.stop();
  expect(asked).toEqual([10_000, 10_000, 10_000]);
  isFull = false;
  await upkeep.stop();
  const kept = await Promise.all(
    Array.from({ length: CALLERS }, async (_, number) => quotas.find(address(number).id)),
  );
  expect(kept.filter((quota) => quota?.dayUsed === 1)).toHaveLength(CALLERS);
});
