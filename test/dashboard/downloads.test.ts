import { afterAll, afterEach, beforeAll, describe, expect, type Mock, spyOn, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { KEPT_PER_ACCOUNT, type LoggedRequest } from '../../src/core/requests/request-log.ts';
import { hourOf } from '../../src/core/requests/usage.ts';
import type { RequestPage } from '../../src/dashboard/shared/requests.ts';
import { SECOND } from '../../src/lib/clock.ts';
import {
  customer,
  type DashboardScene,
  dashboardScene,
  expectRefusal,
  operator,
  reportOf,
} from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';
import { eventually } from '../support/harness.ts';
import { usageRecord } from '../support/usage-records.ts';

/** Rows that are added to a store at once. */
const BATCH = 500;

/** Rows that are read for one piece of a file. */
const OF_PIECE = 100;

/** The usage of an account: 24 keys and 5 operations in each of 40 hours. */
const KEYS = 24;
const OPERATIONS = ['listPets', 'createPet', 'getPet', 'updatePet', 'deletePet'] as const;
const HOURS = 40;

/** An entry of a full request log; the first one is the newest. */
function loggedRequest(accountId: string, index: number, now: number): LoggedRequest {
  const window = { limit: 60, remaining: 50, resetIn: 30 };
  return {
    id: (2 ** 48 - index).toString(16).padStart(32, '0'),
    accountId,
    at: now - index * SECOND,
    requestId: `request-${index}`,
    environment: 'production',
    keyId: 'key_1',
    method: 'GET',
    // Long enough that a whole file does not fit into the buffers of a connection.
    path: `/v1/pets?after=${'1'.repeat(2_000)}`,
    status: 200,
    code: undefined,
    message: undefined,
    durationMicros: 300,
    replyBytes: 2_000,
    address: '127.0.0.1',
    userAgent: undefined,
    simulation: undefined,
    isReplayed: false,
    limits: {
      ...{ limit: 60, remaining: 50, reset: 1, retryAfter: undefined },
      minute: window,
      day: window,
    },
    notRecorded: 0,
  };
}

let scene: DashboardScene;
let visitor: Visitor;
let boss: Visitor;
let readPage: Mock<DashboardScene['service']['stores']['requestLog']['page']>;
beforeAll(async () => {
  scene = await dashboardScene();
  const { service, clock } = scene;
  const { requestLog, usage, audit } = service.stores;
  visitor = await customer(service);
  boss = await operator(service);
  const { accountId } = visitor;
  const now = clock.now().wall;
  for (let first = 0; first < KEPT_PER_ACCOUNT; first += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) =>
      loggedRequest(accountId, first + index, now),
    );
    await requestLog.add(batch);
  }
  for (let hour = 0; hour < HOURS; hour += 1) {
    const records = Array.from({ length: KEYS }, (_, key) =>
      OPERATIONS.map((operation) =>
        usageRecord({
          ...{ accountId, operation, keyId: `key_${key}`, succeeded: 1 },
          hour: hourOf(now) - hour,
        }),
      ),
    );
    await usage.add(records.flat());
  }
  for (let entry = 0; entry < 1_000; entry += 1) {
    const detail = `entry ${entry}`;
    await audit.record({ at: now, by: 'test', action: 'key.renamed', accountId, detail });
  }
  readPage = spyOn(requestLog, 'page');
});
afterEach(() => {
  readPage.mockClear();
  // Another minute, with new limits.
  scene.clock.advance(60 * SECOND);
});
afterAll(() => scene[Symbol.asyncDispose]());

const FILES = {
  'the request log as CSV': '/api/requests?format=csv',
  'the request log as JSON': '/api/requests?format=json',
  'usage as CSV': '/api/usage/requests?last=7d&format=csv',
  'usage of a period without requests': '/api/usage/requests?last=30d&key=none&format=csv',
  'the audit log as CSV': '/api/operator/audit?format=csv',
};

/** Lists and sums that read all rows of an account. */
const READ_ROW_BY_ROW = {
  'a page of the request log with a filter': '/api/requests?path=11112',
  'a page of the request log with an unknown code': '/api/requests?code=none',
  'a report of usage': '/api/usage/requests?last=7d',
  'the events of an account': '/api/usage',
};

describe('what reads many rows', () => {
  const all = { ...FILES, ...READ_ROW_BY_ROW };
  test.each(Object.entries(all))('lets others through: %s', async (_name, path) => {
    const reader = path.includes('operator') ? boss : visitor;
    using pauses = spyOn(Bun, 'sleep');
    let isComplete = false;
    const file = reader.get(path).then(async (reply) => {
      expect(reply.status).toBe(200);
      await reply.arrayBuffer();
      isComplete = true;
    });
    while (!isComplete) {
      expect((await scene.service.request('/openapi.json')).status).toBe(200);
    }
    await file;
    // How many requests are handled in the pauses depends on the machine.
    expect(pauses.mock.calls.length).toBeGreaterThanOrEqual(4);
  });

  test('finds in a page of a filter exactly what matches, wherever it is', async () => {
    const found = async (query: string) => {
      const page = await visitor.json<RequestPage>('GET', `/api/requests?${query}`);
      return page.requests.map(({ requestId }) => requestId);
    };
    for (const index of [0, 199, 200, 201, KEPT_PER_ACCOUNT - 1]) {
      expect(await found(`id=request-${index}`)).toEqual([`request-${index}`]);
    }
    const end = new Date(scene.clock.now().wall - 2 * 3_600 * SECOND).toISOString();
    expect(await found(`to=${end}&status=2xx`)).toHaveLength(50);
    expect(await found('code=none')).toEqual([]);
  });

  test('adds up the usage of all parts of a period', async () => {
    const report = await reportOf(visitor, 'last=7d');
    expect(report.total.succeeded).toBe(HOURS * KEYS * OPERATIONS.length);
    expect(report.keys.map(({ succeeded }) => succeeded)).toEqual(
      Array.from({ length: KEYS }, () => HOURS * OPERATIONS.length),
    );
    expect(report.operations.map(({ succeeded }) => succeeded)).toEqual(
      OPERATIONS.map(() => HOURS * KEYS),
    );
    const inBuckets = report.buckets.reduce((sum, { succeeded }) => sum + succeeded, 0);
    expect(inBuckets).toBe(report.total.succeeded);
  });
});

describe('a file', () => {
  test('holds every entry once, in order', async () => {
    const expected = Array.from({ length: KEPT_PER_ACCOUNT }, (_, index) => `request-${index}`);
    const json = await visitor.json<{ requestId: string }[]>(
      'GET',
      FILES['the request log as JSON'],
    );
    expect(json.map(({ requestId }) => requestId)).toEqual(expected);
    const csv = await (await visitor.get(FILES['the request log as CSV'])).text();
    const lines = csv.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',')[1] ?? '')).toEqual(expected);
    expect(new Set(readPage.mock.calls.map(([, , limit]) => limit))).toEqual(new Set([OF_PIECE]));
    const usage = await (await visitor.get(FILES['usage as CSV'])).text();
    const rows = usage.trimEnd().split('\r\n').slice(1);
    expect(rows).toHaveLength(HOURS * KEYS * OPERATIONS.length);
    expect(rows).toEqual(rows.toSorted());
    const audit = await (await boss.get(FILES['the audit log as CSV'])).text();
    const details = [...audit.matchAll(/entry \d+/g)].map(([entry]) => entry);
    const newestFirst = Array.from({ length: 1_000 }, (_, index) => `entry ${999 - index}`);
    expect(details).toEqual(newestFirst);
  });

  test.each(['CSV', 'JSON'] as const)(
    'with the request log as %s is read no faster than its client reads, and no further once that has left',
    async (form) => {
      const { socket, received } = await unreadFile(FILES[`the request log as ${form}`]);
      await eventually(() => received() > 0);
      socket.pause();
      const read = await whenStill(() => readPage.mock.calls.length);
      expect(read).toBeLessThan(KEPT_PER_ACCOUNT / OF_PIECE / 2);
      socket.destroy();
      expect(await whenStill(() => readPage.mock.calls.length)).toBeLessThan(read + 10);
      expect((await visitor.get('/api/requests')).status).toBe(200);
    },
  );
});

/** A download over a connection that can be left unread. */
async function unreadFile(path: string): Promise<{ socket: Socket; received: () => number }> {
  const socket = connect(scene.service.port, 'localhost');
  await new Promise((resolve) => socket.once('connect', resolve));
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    socket.pause();
  });
  const host = `localhost:${scene.service.port}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${visitor.cookie}\r\n\r\n`);
  return { socket, received: () => bytes };
}

/** The number once it no longer changes. */
async function whenStill(read: () => number): Promise<number> {
  let before = -1;
  await eventually(
    () => {
      const now = read();
      const isStill = now === before;
      before = now;
      return isStill;
    },
    60_000,
    500,
  );
  return before;
}

describe('a request that reads many rows', () => {
  test.each([
    ['/api/usage/requests', 4],
    ['/api/usage/requests?last=7d', 4],
    ['/api/requests?path=x', 2],
    ['/api/requests?status=4xx', 2],
    ['/api/requests?to=2020-01-01T00:00:00Z', 2],
    ['/api/keys?text=x', 2],
    ['/api/requests', 1],
    ['/api/requests?path=', 1],
    ['/api/usage', 1],
  ] as const)('of the kind %s counts as %d', async (path, cost) => {
    const before = Number((await visitor.get('/api/session')).headers.get('X-RateLimit-Remaining'));
    const reply = await visitor.get(path);
    expect(reply.headers.get('X-RateLimit-Remaining')).toBe(String(before - cost));
  });
});

describe('a download', () => {
  test('counts as twenty requests, however its address is spelt', async () => {
    for (const [index, query] of [
      'format=csv',
      '%66ormat=csv',
      'status=4xx&format=json',
    ].entries()) {
      const reply = await visitor.get(`/api/requests?${query}`);
      await reply.body?.cancel();
      expect(reply.headers.get('X-RateLimit-Remaining')).toBe(String(300 - 20 * (index + 1)));
    }
    const page = await visitor.get(`/api/requests?before=${'0'.repeat(32)}`);
    expect(page.headers.get('X-RateLimit-Remaining')).toBe('239');
  });

  test('is refused once as many were made as the limit holds', async () => {
    for (let made = 0; made < 15; made += 1) {
      const reply = await visitor.get('/api/requests?format=csv&status=5xx');
      expect([made, reply.status]).toEqual([made, 200]);
      await reply.text();
    }
    const refused = await visitor.get('/api/requests?format=csv&status=5xx');
    await expectRefusal(refused, 429, 'rate_limited');
  });
});
