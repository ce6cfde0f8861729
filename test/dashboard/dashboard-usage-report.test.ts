import { describe, expect, test } from 'bun:test';
import { NO_USAGE, type UsageRecord } from '../../src/core/requests/usage.ts';
import { DURATION_BUCKET_COUNT } from '../../src/core/requests/usage-durations.ts';
import type { OverviewInfo } from '../../src/dashboard/shared/operator.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  operator,
  reportOf,
} from '../support/dashboard-scene.ts';
import { usageRecord } from '../support/usage-records.ts';

const NOON = Date.UTC(2027, 0, 2, 12);
const MIDNIGHT = Date.UTC(2027, 0, 2);
const NOON_HOUR = NOON / HOUR;
const PATH = '/api/usage/requests';

/** Durations by bucket: six buckets per decade, the first one up to 0.1 ms. */
function durations(counts: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: DURATION_BUCKET_COUNT }, (_, bucket) => counts[bucket] ?? 0);
}

/** A visitor with a key in each environment and the recorded usage. */
async function used(...records: ReadonlyArray<Partial<UsageRecord>>) {
  const scene = await dashboardScene();
  const visitor = await customer(scene.service);
  const shop = await createKey(visitor, { name: '=shop, "first"' });
  const tests = await createKey(visitor, { name: 'tests', environment: 'staging' });
  const { accountId } = visitor;
  const keyId = shop.key.id;
  const fields = { accountId, keyId, hour: NOON_HOUR };
  await scene.service.stores.usage.add(
    records.map((record) =>
      usageRecord({
        ...fields,
        ...(record.environment === 'staging' && { keyId: tests.key.id }),
        ...record,
      }),
    ),
  );
  return { ...scene, visitor, keys: { shop: shop.key, tests: tests.key } };
}

describe('the report of requests', () => {
  test('has figures in total, by key and by operation', async () => {
    await using it = await used(
      {
        succeeded: 80,
        clientErrors: 15,
        invalid: 5,
        notFound: 10,
        durations: durations({ 6: 95 }),
      },
      { operation: 'createPet', limited: 5, durations: durations({ 18: 5 }) },
      { environment: 'staging', serverErrors: 2, durations: durations({ 31: 2 }) },
    );
    const { total, keys, operations, choices } = await reportOf(it.visitor, 'last=24h');
    const listed = { succeeded: 80, clientErrors: 15, limited: 0, serverErrors: 0 };
    expect(total).toMatchObject({ succeeded: 80, clientErrors: 15, limited: 5, serverErrors: 2 });
    expect(total).toMatchObject({ invalid: 5, unauthorized: 0, notFound: 10, conflicts: 0 });
    // Of 102 requests 95 took 0.7 to 1 ms, five 70 to 100 ms, and two more than 10 s.
    expect([total.p50, total.p95, total.p99]).toEqual([0.86, 81, 10_000]);
    const { shop, tests } = it.keys;
    expect(keys).toMatchObject([
      {
        key: { id: shop.id, environment: 'production', name: shop.name, lastFour: shop.lastFour },
        ...{ ...listed, limited: 5 },
      },
      { key: { id: tests.id, environment: 'staging' }, ...NO_USAGE, serverErrors: 2 },
    ]);
    expect(operations).toMatchObject([
      { operation: 'listPets', ...listed, serverErrors: 2 },
      { operation: 'createPet', ...NO_USAGE, limited: 5, p50: null, p95: null, p99: null },
    ]);
    expect(choices.keys.map(({ id }) => id)).toEqual([shop.id, tests.id]);
    expect(choices.operations).toEqual(['createPet', 'listPets']);
  });

  test('has percentiles of 20 requests and more, to two digits', async () => {
    await using it = await used(
      { succeeded: 20, durations: durations({ 6: 20 }) },
      { operation: 'createPet', succeeded: 19, durations: durations({ 6: 19 }) },
      {
        environment: 'staging',
        operation: 'getPet',
        succeeded: 60,
        durations: durations({ 21: 60 }),
      },
    );
    const { operations } = await reportOf(it.visitor, 'last=24h');
    expect(operations).toMatchObject([
      { operation: 'getPet', p50: 250, p95: 300, p99: 300 },
      { operation: 'listPets', p50: 0.85, p95: 0.98, p99: 1 },
      { operation: 'createPet', p50: null, p95: null, p99: null },
    ]);
    const boss = await operator(it.service);
    const overview = await boss.json<OverviewInfo>('GET', '/api/operator/overview');
    expect(overview.operations).toMatchObject([
      { operation: 'getPet', p95: 300 },
      { operation: 'listPets', p95: 0.98 },
      { operation: 'createPet', p95: null, requests: 19 },
    ]);
  });

  test('has what is selected, and still every choice', async () => {
    await using it = await used(
      { succeeded: 1 },
      { operation: 'createPet', succeeded: 20 },
      { environment: 'staging', succeeded: 300 },
    );
    const { shop, tests } = it.keys;
    const succeeded = async (query: string) => {
      const { total, buckets, choices } = await reportOf(it.visitor, query);
      expect(buckets.reduce((sum, bucket) => sum + bucket.succeeded, 0)).toBe(total.succeeded);
      expect([choices.keys.length, choices.operations.length]).toEqual([2, 2]);
      return total.succeeded;
    };
    expect(await succeeded('')).toBe(321);
    expect(await succeeded('environment=production')).toBe(21);
    expect(await succeeded(`key=${tests.id}`)).toBe(300);
    expect(await succeeded('operation=listPets')).toBe(301);
    expect(await succeeded(`key=${shop.id}&operation=listPets&environment=production`)).toBe(1);
    expect(await succeeded(`key=${shop.id}&environment=staging`)).toBe(0);
  });

  test('covers any period: by the hour for up to 72 hours, otherwise by UTC day', async () => {
    await using it = await used(
      { succeeded: 1, hour: NOON_HOUR - 30 * 24 },
      { succeeded: 20, hour: NOON_HOUR - 40 },
      { succeeded: 300, hour: NOON_HOUR - 1 },
    );
    const period = async (query: string) => {
      const { from, to, bucketHours, buckets, total } = await reportOf(it.visitor, query);
      expect(buckets).toHaveLength((to - from) / (bucketHours * HOUR));
      return [from, to, bucketHours, total.succeeded];
    };
    const end = NOON + HOUR;
    expect(await period('')).toEqual([end - DAY, end, 1, 300]);
    expect(await period('last=72h')).toEqual([end - 3 * DAY, end, 1, 320]);
    expect(await period('last=7d')).toEqual([MIDNIGHT - 6 * DAY, MIDNIGHT + DAY, 24, 320]);
    const between = (from: string, to: string) => period(`from=${from}&to=${to}`);
    expect(await between('2026-12-31T20:59:59Z', '2027-01-01T00:00:00.001Z')).toEqual([
      ...[MIDNIGHT - 2 * DAY + 20 * HOUR, MIDNIGHT - DAY + HOUR, 1, 20],
    ]);
    // Hours more than three days ago have been merged into a day.
    expect(await between('2026-12-29T10:00:00Z', '2026-12-29T12:00:00Z')).toEqual([
      ...[MIDNIGHT - 4 * DAY, MIDNIGHT - 3 * DAY, 24, 0],
    ]);
    expect(await between('2020-01-01T00:00:00Z', '2026-12-04T00:00:00Z')).toEqual([
      ...[MIDNIGHT - 31 * DAY, MIDNIGHT - 29 * DAY, 24, 1],
    ]);
  });

  test('stays complete when hours become days', async () => {
    await using it = await used(
      { succeeded: 10, hour: NOON_HOUR - 24, durations: durations({ 4: 10 }) },
      { succeeded: 20, hour: NOON_HOUR - 20, durations: durations({ 4: 20 }) },
    );
    const days = async () =>
      (await reportOf(it.visitor, 'last=7d')).buckets.map((day) => day.succeeded);
    expect(await days()).toEqual([0, 0, 0, 0, 0, 30, 0]);
    it.clock.advance(4 * DAY);
    await it.service.runJobs('prune expired rows');
    await it.visitor.signIn();
    expect(await days()).toEqual([0, 30, 0, 0, 0, 0, 0]);
    expect((await reportOf(it.visitor, 'last=7d')).total.p50).toBe(0.4);
  });

  test('refuses periods and selections that do not exist', async () => {
    await using it = await used();
    const wrong = [
      ...[
        'last=1y',
        'last=constructor',
        'environment=moon',
        'format=xml',
        'from=2027-01-01T00:00:00Z',
        'to=2027-01-01T00:00:00Z',
      ],
      ...[
        'from=yesterday&to=2027-01-01T00:00:00Z',
        'from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z',
        'from=2026-11-31T00:00:00Z&to=2027-01-01T00:00:00Z',
      ],
      'last=7d&from=2027-01-01T00:00:00Z&to=2027-01-02T00:00:00Z',
    ];
    for (const query of wrong) {
      await expectRefusal(await it.visitor.get(`${PATH}?${query}`), 400, 'invalid');
    }
  });

  test('is a CSV file, too, in which no name is a formula', async () => {
    await using it = await used(
      { succeeded: 30, clientErrors: 10, conflicts: 10, durations: durations({ 6: 40 }) },
      { operation: 'createPet', succeeded: 3, durations: durations({ 6: 3 }) },
    );
    const reply = await it.visitor.get(`${PATH}?format=csv&environment=production`);
    expect(reply.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(reply.headers.get('Content-Disposition')).toContain('usage.csv');
    const names = [
      ...['from_utc,hours,environment,key_id,key_name,operation,requests,succeeded,client_errors'],
      ...['invalid,unauthorized,not_found,conflicts,limited,server_errors,p50_ms,p95_ms,p99_ms'],
    ];
    const key = `${it.keys.shop.id},"'=shop, ""first"""`;
    const row = `2027-01-02T12:00:00.000Z,1,production,${key}`;
    expect((await reply.text()).split('\r\n')).toEqual([
      names.join(','),
      `${row},createPet,3,3,0,0,0,0,0,0,0,,,`,
      `${row},listPets,40,30,10,0,0,0,10,0,0,0.85,0.98,1`,
      '',
    ]);
  });

  test('is shown to operators for any account, and to nobody else', async () => {
    await using it = await used({ succeeded: 7 });
    const boss = await operator(it.service);
    const stranger = await customer(it.service);
    for (const path of ['/usage', '/usage/requests', '/usage/requests?format=csv', '/bans']) {
      const address = `/api/operator/accounts/${it.visitor.accountId}${path}`;
      expect(await (await boss.get(address)).text()).toBe(
        await (await it.visitor.get(`/api${path}`)).text(),
      );
      await expectRefusal(await stranger.get(address), 403, 'forbidden');
      const unknown = `/api/operator/accounts/acct_unknown${path}`;
      await expectRefusal(await boss.get(unknown), 404, 'not_found');
    }
  });
});
