import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { RECORDED_PER_MINUTE } from '../../src/core/requests/request-log.ts';
import { chunks } from '../../src/lib/chunks.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { eventually } from '../support/harness.ts';
import { requestLogScene, savedRequests } from '../support/request-log-scene.ts';
import { ON_POSTGRES } from '../support/shared-store.ts';
import { startThree } from '../support/three-processes.ts';

/** Sends requests with these ids, some at a time; each must succeed. */
async function sendAll(baseUrl: string, key: string, ids: readonly string[]): Promise<void> {
  const send = async (id: string) => {
    const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': id };
    const reply = await fetch(`${baseUrl}/pets`, { headers });
    expect(reply.status).toBe(200);
    await reply.arrayBuffer();
  };
  for (const some of chunks(ids, 50)) await Promise.all(some.map(send));
}

function idsOf(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}

describe('the request log of a minute', () => {
  test.each([65, 1_000])(
    'has each of %d requests within a second, by its X-Request-Id',
    async (count) => {
      await using it = await requestLogScene();
      const { account, secret } = await it.service.account(subscribe('business'));
      const ids = idsOf('request', count);
      await sendAll(it.service.url(), secret, ids);
      const logged = await savedRequests(it, account.id);
      expect(logged.map(({ requestId }) => requestId).sort()).toEqual(ids.sort());
      expect(logged.every(({ status, notRecorded }) => status === 200 && notRecorded === 0)).toBe(
        true,
      );
      const found = await it.service.stores.requestLog.page(
        account.id,
        { requestId: 'request-7' },
        9,
      );
      expect(found).toHaveLength(1);
    },
  );

  test('has the first 1,000 requests of a minute and a few refusals more, and counts the others', async () => {
    await using it = await requestLogScene();
    const { account, secret } = await it.service.account(
      subscribe('enterprise', { perMinute: 1_010, perDay: 10_000 }),
    );
    const ids = idsOf('request', 1_010);
    await sendAll(it.service.url(), secret, ids.slice(0, 1_001));
    // Also when the clock is put back, it is the same minute.
    it.clock.step(-HOUR);
    await sendAll(it.service.url(), secret, ids.slice(1_001));
    for (const id of ['refused', 'again']) {
      const headers = { 'X-Request-Id': id };
      expect((await it.service.request('/pets', { key: secret, headers })).status).toBe(429);
    }
    const logged = await savedRequests(it, account.id);
    const refused = logged.filter(({ status }) => status === 429);
    expect(refused.map(({ requestId }) => requestId).sort()).toEqual(['again', 'refused']);
    expect(logged).toHaveLength(1_002);
    expect(logged.reduce((sum, { notRecorded }) => sum + notRecorded, 0)).toBe(10);
    // Other accounts have their own minute, and the next one begins anew.
    const other = await it.service.account();
    await it.service.request('/pets', { key: other.secret });
    expect(await savedRequests(it, other.account.id)).toHaveLength(1);
    it.clock.advance(MINUTE);
    await sendAll(it.service.url(), secret, ids.slice(0, 100));
    expect(await savedRequests(it, account.id)).toHaveLength(1_102);
  });
});

describe.skipIf(!ON_POSTGRES.isHere)('the request log of two processes on PostgreSQL', () => {
  test.each([65, RECORDED_PER_MINUTE])(
    'has each of %d requests of an account to each process, by its X-Request-Id',
    async (count) => {
      await using it = await startThree();
      const { accountId, apiKey } = await it.customer('ada');
      const [first, second] = it.all;
      const ids = [idsOf('first', count), idsOf('second', count)] as const;
      const url = ({ port }: typeof first) => `http://localhost:${port}/v1`;
      await Promise.all([
        sendAll(url(first), apiKey, ids[0]),
        sendAll(url(second), apiKey, ids[1]),
      ]);
      const logged = () => it.stores.requestLog.page(accountId, {}, 2 * count + 1);
      await eventually(async () => (await logged()).length >= 2 * count);
      const found = (await logged()).map(({ requestId }) => requestId);
      expect(found.sort()).toEqual(ids.flat().sort());
      expect(await it.stores.requestLog.find('second-64', 10)).toHaveLength(1);
    },
  );
});
