import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { MINUTE } from '../../src/lib/clock.ts';
import { customer, dashboardScene, expectRefusal } from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';
import { eventually, type ManualClock, type TestService } from '../support/harness.ts';
import { LiveReader } from '../support/live-reader.ts';

/** The limits of src/dashboard/live/live-channel.ts. */
const OF_ADDRESS = 50;
const OF_SESSION = 4;

/** The tests are the proxy, which tells the client's address. */
const PROXIED = { PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1' };

/** Addresses of one IPv6 network, one after the other. */
function* neighbours(): Generator<string> {
  for (let host = 1; ; host += 1) yield `2001:db8:1:2::${host.toString(16)}`;
}

function openFrom(service: TestService, visitor: Visitor, address: string): Promise<LiveReader> {
  return LiveReader.open(visitor, service.dashboardUrl, { 'X-Forwarded-For': address });
}

/** Takes all connections that one IPv6 network may have, with as many accounts as that takes. */
async function takeAll(service: TestService) {
  const addresses = neighbours();
  const pages: LiveReader[] = [];
  while (pages.length < OF_ADDRESS) {
    const visitor = await customer(service);
    for (let open = 0; open < OF_SESSION && pages.length < OF_ADDRESS; open += 1) {
      pages.push(await openFrom(service, visitor, addresses.next().value));
    }
  }
  expect(pages.map(({ reply }) => reply.status)).toEqual(Array(OF_ADDRESS).fill(200));
  return {
    pages,
    next: () => addresses.next().value,
    async [Symbol.asyncDispose]() {
      for (const page of pages) await page[Symbol.asyncDispose]();
    },
  };
}

test('one IPv6 network has 50 live connections, however many accounts it has; the rest poll', async () => {
  await using scene = await dashboardScene(PROXIED);
  const { service } = scene;
  await using neighbourhood = await takeAll(service);
  const late = await customer(service);

  await using refused = await openFrom(service, late, neighbourhood.next());
  const { reply } = refused;
  expect([reply.status, reply.headers.get('Retry-After')]).toEqual([429, '10']);
  const polled = await late.request('GET', '/api/session', undefined, {
    'X-Forwarded-For': neighbourhood.next(),
  });
  expect(polled.status).toBe(200);

  for (const address of ['2001:db8:1:3::1', '198.51.100.7']) {
    await using elsewhere = await openFrom(service, late, address);
    expect([address, elsewhere.reply.status]).toEqual([address, 200]);
  }
});

test('a client cannot choose the address that its live connections count for', async () => {
  await using scene = await dashboardScene();
  const { service } = scene;
  await using _neighbourhood = await takeAll(service);
  const late = await customer(service);
  const headers = { Cookie: late.cookie, 'X-Forwarded-For': '203.0.113.9' };
  const refused = await fetch(`${service.dashboardUrl}/api/live`, { headers });
  expect(await expectRefusal(refused, 429, 'rate_limited')).toContain('your network address');
});

test.each<[string, (page: LiveReader, clock: ManualClock) => Promise<void>]>([
  ['is closed by its page', (page) => page[Symbol.asyncDispose]()],
  [
    'ends after five minutes',
    (page, clock) => {
      clock.advance(5 * MINUTE);
      return page.ended();
    },
  ],
])('a live connection that %s makes room for another of its address', async (_name, end) => {
  await using scene = await dashboardScene(PROXIED);
  const { service, clock } = scene;
  await using neighbourhood = await takeAll(service);
  const late = await customer(service);
  const [first] = neighbourhood.pages;
  if (!first) throw new Error('no page is open');
  await end(first, clock);
  await eventually(async () => {
    await using page = await openFrom(service, late, neighbourhood.next());
    return page.reply.status === 200;
  });
});

test('clients that leave before they have an answer hold no live connection', async () => {
  await using scene = await dashboardScene(PROXIED);
  const { service } = scene;
  const visitor = await customer(service);
  for (let sent = 0; sent < 2 * OF_ADDRESS; sent += 1) {
    // At another moment of the request each time.
    await leaveEarly(service, visitor, '2001:db8:1:2::1', sent % 5);
  }
  await eventually(async () => {
    await using page = await openFrom(service, visitor, '2001:db8:1:2::1');
    return page.reply.status === 200;
  });
});

/** Asks for a live connection, and resets the TCP connection a moment later. */
async function leaveEarly(
  service: TestService,
  visitor: Visitor,
  address: string,
  wait: number,
): Promise<void> {
  const socket = connect(service.port, 'localhost');
  await new Promise((resolve) => socket.once('connect', resolve));
  const head = [
    ...['GET /api/live HTTP/1.1', `Host: localhost:${service.port}`],
    ...[`Cookie: ${visitor.cookie}`, `X-Forwarded-For: ${address}`],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await Bun.sleep(wait);
  socket.resetAndDestroy();
}
