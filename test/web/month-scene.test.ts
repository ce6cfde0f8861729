import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { requestsOf } from '../../src/core/requests/usage.ts';
import { customer, keysOf, reportOf } from '../support/dashboard-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { fillMonth, MONTH } from '../support/month-scene.ts';

test('an account filled with a month has keys, requests of each day, messages, animals and orders', async () => {
  await using service = await TestService.start({ parts: PARTS, clock: new ManualClock() });
  const visitor = await customer(service, subscribe('pro'));
  const account = await service.stores.accounts.find(visitor.accountId);
  if (!account) throw new Error('The account is gone.');
  await fillMonth(service, account);
  expect((await keysOf(visitor)).length).toBe(MONTH.keys);
  const { buckets, keys } = await reportOf(visitor, 'last=30d');
  expect(buckets.map((bucket) => requestsOf(bucket) > 0)).toEqual(Array(30).fill(true));
  expect(keys.length).toBeGreaterThan(10);
  const { requestLog, messages } = service.stores;
  expect((await requestLog.page(account.id, {}, 10_000)).length).toBe(MONTH.requests);
  expect((await messages.list(account.id, 1_000)).length).toBe(MONTH.messages);
  const { pets } = service.stores.environment('production');
  expect((await pets.newest({ limit: 10_000 })).length).toBe(MONTH.animals + MONTH.orders);
});
