import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { subscribe } from '../../src/core/limits/plans.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';

const LENIENT = { PETSTORE_BAN_AFTER: '1000000' };
const CONNECTIONS = 64;

interface Flood {
  readonly port: number;
  /** The header lines that the requests use in turn. */
  readonly headers: readonly string[];
  readonly requests: number;
}

/** Replies by status, for each of the header lines. */
type Tally = readonly Map<number, number>[];

/** Sends this many GET /v1/pets over 64 keep-alive connections, as fast as possible. */
async function flood({ port, headers, requests }: Flood): Promise<Tally> {
  const tally: Tally = headers.map(() => new Map<number, number>());
  let sent = 0;
  const next = () => {
    if (sent === requests) return undefined;
    const index = sent % headers.length;
    sent += 1;
    return index;
  };
  const count = (index: number, status: number) => {
    const counts = tally[index];
    counts?.set(status, (counts.get(status) ?? 0) + 1);
  };
  const connections = Array.from({ length: CONNECTIONS }, () => talk(port, headers, next, count));
  await Promise.all(connections);
  return tally;
}

/** Sends requests over one connection, each after the reply to the one before, until none is left. */
function talk(
  port: number,
  headers: readonly string[],
  next: () => number | undefined,
  count: (index: number, status: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(port, '127.0.0.1');
  let asked: number | undefined;
  let received = '';
  const send = () => {
    asked = next();
    if (asked === undefined) {
      socket.end();
      resolve();
      return;
    }
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: localhost:${port}\r\n${headers[asked]}\r\n`);
  };
  socket.setEncoding('latin1');
  socket.on('connect', send);
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('The connection was closed.')));
  socket.on('data', (chunk) => {
    received += String(chunk);
    const status = completeReply(received);
    if (status === undefined || asked === undefined) return;
    received = '';
    count(asked, status);
    send();
  });
  return promise;
}

/** The status of the reply; `undefined` until it is complete. */
function completeReply(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
  return text.length >= end + 4 + length ? Number(text.slice(9, 12)) : undefined;
}

function bearer(key: string): string {
  return `Authorization: Bearer ${key}\r\n`;
}

describe('64 connections at once', () => {
  test('5,000 requests against 1,000 a minute: exactly 1,000 are admitted', async () => {
    using folder = temporaryFolder();
    const settings = { ...LENIENT, PETSTORE_DATA_DIR: folder.path };
    await runCommand(['accounts', 'create', 'a@example.com', '--plan', 'business'], settings);
    const created = await runCommand(['keys', 'create', 'a@example.com'], settings);
    const headers = [bearer(created.stdout.trim())];
    await using service = await ServiceProcess.start(settings);

    const [tally] = await flood({ port: service.port, headers, requests: 5_000 });

    expect(Object.fromEntries(tally ?? [])).toEqual({ 200: 1_000, 429: 4_000 });
  });

  test('both windows are exact, minute after minute', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock, settings: LENIENT });
    const { secret } = await service.account(
      subscribe('enterprise', { perMinute: 300, perDay: 700 }),
    );
    const admitted: (number | undefined)[] = [];

    for (let minute = 0; minute < 4; minute += 1) {
      const headers = [bearer(secret)];
      const [tally] = await flood({ port: service.port, headers, requests: 600 });
      admitted.push(tally?.get(200));
      clock.advance(MINUTE);
    }

    expect(admitted).toEqual([300, 300, 100, undefined]);
  });

  test('every account and every address gets its own limit, whoever else asks', async () => {
    const settings = { ...LENIENT, PETSTORE_ANONYMOUS_PER_MINUTE: '40' };
    await using service = await TestService.start({ clock: new ManualClock(), settings });
    const small = await service.account(subscribe('free'));
    const large = await service.account(subscribe('pro'));
    const twin = await service.stores.apiKeyService.issue(
      small.account,
      {
        environment: 'production',
        name: 'twin',
      },
      'test',
    );
    const headers = [bearer(small.secret), bearer(large.secret), bearer(twin.text), ''];

    const tally = await flood({ port: service.port, headers, requests: 4 * 500 });

    const [first, pro, second, none] = tally;
    expect((first?.get(200) ?? 0) + (second?.get(200) ?? 0)).toBe(60);
    expect(Object.fromEntries(pro ?? [])).toEqual({ 200: 300, 429: 200 });
    expect(Object.fromEntries(none ?? [])).toEqual({ 401: 40, 429: 460 });
  });

  test('a creation that is refused is not carried out', async () => {
    await using service = await TestService.start({ clock: new ManualClock(), settings: LENIENT });
    const { secret } = await service.account(subscribe('free'));
    const creations = Array.from({ length: 200 }, () =>
      service.post(secret, { name: 'Rex', categoryId: 1 }),
    );

    const statuses = (await Promise.all(creations)).map(({ status }) => status);

    expect(statuses.filter((status) => status === 201)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(140);
    const { pets } = await service.stores
      .environment('production')
      .pets.list({ limit: 100, after: 0 });
    expect(pets).toHaveLength(60);
  });
});
