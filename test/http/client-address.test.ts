import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { clientAddress } from '../../src/http/connection/client-address.ts';
import { parseAddressRange } from '../../src/lib/ip-address.ts';
import { MemoryLimiter } from '../../src/limits/memory/limiter.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { admitted, ask, askTimes, readAnswer } from '../support/limit-readings.ts';

const THREE = { PETSTORE_ANONYMOUS_PER_MINUTE: '3', PETSTORE_ANONYMOUS_PER_DAY: '50' };
/** Trusts the machine of the tests as a proxy, and proxies in 10/8 and fd00::/8. */
const PROXIED = { ...THREE, PETSTORE_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, fd00::/8' };

function start(settings: Readonly<Record<string, string>>): Promise<TestService> {
  return TestService.start({ clock: new ManualClock(), settings });
}

/** Sends one request without a key, with this X-Forwarded-For. */
async function forwarded(service: TestService, chain: string) {
  const headers = { 'X-Forwarded-For': chain };
  return readAnswer(await service.request('/pets', { headers }));
}

describe('a request without a valid key', () => {
  test("is counted on its address; a 401's headers show those numbers", async () => {
    await using service = await start(THREE);

    const answers = await askTimes(service, 4);

    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [401, 'missing_api_key'],
      [401, 'missing_api_key'],
      [401, 'missing_api_key'],
      [429, 'rate_limited'],
    ]);
    expect(answers[0]).toMatchObject({ limit: 3, remaining: 2, day: { quota: 50, remaining: 49 } });
    expect(answers[3]).toMatchObject({ limit: 3, remaining: 0, retryAfter: 60 });
  });

  test("has Free's numbers unless they are set", async () => {
    await using service = await start({
      PETSTORE_ANONYMOUS_PER_MINUTE: '',
      PETSTORE_ANONYMOUS_PER_DAY: '',
    });

    expect(await ask(service)).toMatchObject({
      status: 401,
      limit: 60,
      remaining: 59,
      day: { quota: 1_000, remaining: 999 },
    });
  });

  test('never makes a bucket of its own: made-up keys share the address', async () => {
    await using service = await start(THREE);
    const madeUp = [generateApiKey('production'), generateApiKey('production'), 'x', 'y', 'z'];

    const statuses: number[] = [];
    for (const key of madeUp) statuses.push((await ask(service, key)).status);

    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  test('does not touch a valid key from the same address, nor the other way round', async () => {
    await using service = await start(THREE);
    const { secret } = await service.account(subscribe('free'));
    await askTimes(service, 5);

    expect(await ask(service, secret)).toMatchObject({ status: 200, limit: 60, remaining: 59 });
    expect((await ask(service)).status).toBe(429);
  });

  test('of a valid key from the other environment is counted on the address', async () => {
    await using service = await start(THREE);
    const { secret } = await service.account(subscribe('free'), 'staging');

    expect(await ask(service, secret)).toMatchObject({ status: 401, limit: 3, remaining: 2 });
    const staging = await service.request('/pets', { key: secret, environment: 'staging' });
    expect(await readAnswer(staging)).toMatchObject({ status: 200, remaining: 59 });
  });
});

describe('X-Forwarded-For', () => {
  test('is ignored unless a trusted proxy sent it', async () => {
    await using service = await start(THREE);

    const answers = [];
    for (let host = 1; host <= 5; host += 1) {
      answers.push(await forwarded(service, `203.0.113.${host}`));
    }

    expect(admitted(answers)).toBe(3);
  });

  test('tells clients behind a trusted proxy apart', async () => {
    await using service = await start(PROXIED);

    for (const client of ['203.0.113.1', '203.0.113.2', '2001:db8::1']) {
      const remaining: number[] = [];
      for (let sent = 0; sent < 3; sent += 1) {
        remaining.push((await forwarded(service, client)).remaining);
      }
      expect(remaining).toEqual([2, 1, 0]);
      expect((await forwarded(service, client)).status).toBe(429);
    }
  });

  test('counts the nearest address that no trusted proxy has, whatever a client claims', async () => {
    await using service = await start(PROXIED);

    const chains = [
      '203.0.113.9',
      'made.up, 203.0.113.9',
      '198.51.100.1, 203.0.113.9',
      '198.51.100.2, 203.0.113.9, 10.1.2.3',
      '203.0.113.9 , 10.0.0.1,10.0.0.2',
      ', 203.0.113.9, fd00::7',
    ];
    const answers = [];
    for (const chain of chains) answers.push(await forwarded(service, chain));

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429, 429]);
  });

  test('in several lines is one chain', async () => {
    await using service = await start(PROXIED);
    const headers = new Headers();
    headers.append('X-Forwarded-For', '198.51.100.1');
    headers.append('X-Forwarded-For', '203.0.113.9');
    await service.request('/pets', { headers });

    expect((await forwarded(service, '203.0.113.9')).remaining).toBe(1);
  });

  test('groups IPv6 clients by their /64', async () => {
    await using service = await start(PROXIED);

    await forwarded(service, '2001:db8:0:1::1');
    await forwarded(service, '2001:DB8:0:1:ffff:ffff:ffff:ffff');
    expect((await forwarded(service, '2001:db8::1:0:0:0:2')).remaining).toBe(0);
    expect((await forwarded(service, '2001:db8:0:2::1')).remaining).toBe(2);
  });
});

describe('more addresses than are remembered', () => {
  test('evict the oldest address, and no account', async () => {
    const now = new ManualClock().now();
    const policy = { after: 10, base: 1, maximum: 1 };
    const limiter = new MemoryLimiter({ environment: 'production', policy, onBan: () => {} });
    const caller = (id: string) => ({ id, limits: { perMinute: 5, perDay: 5 }, key: undefined });
    const remaining = async (id: string) => (await limiter.take(caller(id), now)).remaining;

    expect(await remaining('account:one')).toBe(4);
    for (let address = 0; address < 100_000; address += 1) await remaining(`address:${address}`);

    expect(await remaining('address:0')).toBe(3);
    expect(await remaining('address:one more')).toBe(4);
    expect(await remaining('address:0')).toBe(4);
    expect(await remaining('address:99999')).toBe(3);
    expect(await remaining('account:one')).toBe(3);
  });
});

describe('clientAddress', () => {
  const trusted = ['10.0.0.0/8', 'fd00::/8'].flatMap((text) => parseAddressRange(text) ?? []);

  const cases: ReadonlyArray<readonly [peer: string, chain: string | null, expected: string]> = [
    ['10.0.0.1', null, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['10.0.0.1', '192.0.2.1, 10.0.0.3', '192.0.2.1'],
    ['::ffff:10.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['fd00::1', '2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['192.0.2.7', '192.0.2.1', '192.0.2.7'],
    ['', '192.0.2.1', 'unknown'],
    ['10.0.0.1', '8.8.8.8:1234', '8.8.8.8'],
    ['10.0.0.1', '8.8.8.8:1234, 10.0.0.3:80', '8.8.8.8'],
    ['fd00::1', '[2001:db8:1:2:3::4]:443', '2001:db8:1:2::/64'],
    ['fd00::1', '[2001:db8:1:2:3::4]', '2001:db8:1:2::/64'],
    ['10.0.0.1', '[::ffff:192.0.2.1]:65535', '192.0.2.1'],
  ];
  for (const [peer, chain, expected] of cases) {
    test(`of peer "${peer}" and chain ${JSON.stringify(chain)} is ${expected}`, () => {
      expect(clientAddress(peer, chain, trusted)).toBe(expected);
    });
  }

  const garbage = [
    ...['7', '192.0.2', '0x7f.1', '010.1.1.1', '192.0.2.256', '192.0.2.1:', '192.0.2.1:x'],
    ...[
      '192.0.2.1:123456',
      '[192.0.2.1',
      '[2001:db8::1]x',
      '[2001:db8::1]:',
      '[]:80',
      '2001:db8::1]:80',
    ],
    ...['unknown', '_hidden', '"192.0.2.1"', '192.0.2.1;192.0.2.2', '::1::', '192.0.2.1/32', '%'],
  ];
  for (const hop of garbage) {
    test(`stops at the proxy that forwards "${hop}", which is no address`, () => {
      expect(clientAddress('10.0.0.9', `192.0.2.1, ${hop}`, trusted)).toBe('10.0.0.9');
    });
  }

  test('is always a full address or a /64, whatever is forwarded', () => {
    const hop = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant('10.1.1.1'));
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.array(hop), (peer, hops) => {
        const address = clientAddress(peer, hops.join(', '), trusted);
        expect(address).toMatch(/^(?:\d+\.\d+\.\d+\.\d+|(?:[0-9a-f]+:){4}:\/64)$/);
        expect(clientAddress(peer, hops.join(', '), [])).toBe(clientAddress(peer, null, []));
      }),
    );
  });
});
