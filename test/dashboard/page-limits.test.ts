import { describe, expect, test } from 'bun:test';
import { pageCost } from '../../src/dashboard/pages/page-limits.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { dashboardScene } from '../support/dashboard-scene.ts';
import type { TestService } from '../support/harness.ts';

/** The limit of src/dashboard/pages/page-limits.ts, in units. */
const PER_MINUTE = 30_000;
const SEARCHES = 300;

/** The tests are the proxy, which tells the client's address. */
const PROXIED = { PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1' };

interface Sender {
  readonly address: string;
  readonly accept?: string;
}

function get(service: TestService, path: string, { address, accept = 'text/html' }: Sender) {
  const headers = { 'X-Forwarded-For': address, Accept: accept };
  return fetch(service.dashboardUrl + path, { headers });
}

/** The statuses of this many searches from an address. */
async function search(service: TestService, address: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < times; sent += 1) {
    const reply = await get(service, '/docs/search?q=ban', { address });
    await reply.text();
    statuses.push(reply.status);
  }
  return statuses;
}

const admitted = (statuses: readonly number[]) => statuses.filter((each) => each === 200).length;

describe('the pages', () => {
  test('have a limit per address, in which a search costs as much as a hundred files', async () => {
    await using scene = await dashboardScene(PROXIED);
    const { service, clock } = scene;
    const neighbours = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'] as const;

    const [first, second] = neighbours;
    expect(admitted(await search(service, first, SEARCHES - 1))).toBe(SEARCHES - 1);
    // 100 units are left for the network.
    for (let sent = 0; sent < 99; sent += 1) {
      expect((await get(service, '/docs', { address: second })).status).toBe(200);
    }
    expect(await search(service, first, 2)).toEqual([200, 429]);
    clock.advance(20_500);

    for (const path of ['/docs', '/', '/llms.txt', '/nothing', '/docs/search?q=ban']) {
      const page = await get(service, path, { address: second });
      expect([path, page.status, page.headers.get('Retry-After')]).toEqual([path, 429, '40']);
      expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('Cache-Control')).toBe('no-store');
      expect(await page.text()).toContain('Wait 40 seconds, then try again.');
    }
    const json = await get(service, '/docs', { address: first, accept: '*/*' });
    expect([json.status, await json.json()]).toEqual([
      429,
      { code: 'rate_limited', message: expect.stringContaining('Wait 40 seconds'), status: 429 },
    ]);
    for (const address of ['2001:db8:1:3::1', '198.51.100.7']) {
      expect(await search(service, address, 1)).toEqual([200]);
    }
    clock.advance(40_000);
    expect(await search(service, first, 1)).toEqual([200]);
  });

  test('count for the address of the connection, whatever address a client names', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    for (let sent = 0; sent < SEARCHES; sent += 1) {
      expect(await search(service, `198.51.100.${sent % 250}`, 1)).toEqual([200]);
    }
    expect(await search(service, '203.0.113.1', 1)).toEqual([429]);
  });

  test('count unknown addresses, which need a page of their own, wherever they are', async () => {
    await using scene = await dashboardScene(PROXIED);
    const { service } = scene;
    const address = '198.51.100.1';
    await search(service, address, SEARCHES - 1);
    const statuses: number[] = [];
    // 6 units each.
    for (let sent = 0; sent < 18; sent += 1) {
      statuses.push((await get(service, '/assets/none.js', { address })).status);
    }
    expect(statuses).toEqual([...Array(17).fill(404), 429]);
  });

  test('leave the API and signing in to the limits of their own', async () => {
    await using scene = await dashboardScene(PROXIED);
    const { service } = scene;
    const address = '198.51.100.1';
    await search(service, address, SEARCHES);
    expect(await search(service, address, 1)).toEqual([429]);
    expect((await get(service, '/api/session', { address })).status).toBe(200);
    const headers = { 'X-Forwarded-For': address };
    expect((await service.request('/pets', { headers })).status).toBe(401);
    expect((await service.request('/openapi.json', { headers })).status).toBe(200);
  });

  test('may be visited a thousand times a minute by browsers without a cache', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    for (const path of ['/', '/docs', '/docs/operations/createPet', '/sign-in']) {
      const files = new Set([path, '/favicon.svg', '/favicon.ico', '/docs/search.json']);
      const rewriter = new HTMLRewriter().on('script[src], link[href]', {
        element: (found) => {
          files.add(found.getAttribute('src') ?? found.getAttribute('href') ?? '');
        },
      });
      await rewriter.transform(await fetch(service.dashboardUrl + path)).text();
      const units = [...files].reduce((sum, file) => sum + pageCost(file), 0);
      expect(units).toBeLessThanOrEqual(PER_MINUTE / 1_000);
    }
  });

  test('start a new minute with the first request after the last one', async () => {
    await using scene = await dashboardScene(PROXIED);
    const { service, clock } = scene;
    const address = '198.51.100.1';
    await search(service, address, SEARCHES);
    clock.advance(MINUTE);
    expect(await search(service, address, 2)).toEqual([200, 200]);
  });
});
