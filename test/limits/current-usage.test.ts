import { expect, test } from 'bun:test';
import { subscribe } from '../../src/core/plans.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { currentUsageFrom } from '../../src/limits/current-usage.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

test('current usage without a limiter shows no minute longer than one, after a clock was set back', async () => {
  const clock = new ManualClock();
  await using service = await TestService.start({ clock });
  const { account, secret } = await service.account(subscribe('free'));
  await ask(service, secret);
  await service.runJobs('save production quotas');
  clock.step(-HOUR);
  const usage = await currentUsageFrom(new Map(), service.stores, clock)(account, 'production');
  expect(usage.minute).toEqual({ limit: 60, remaining: 59, resetIn: MINUTE });
});
