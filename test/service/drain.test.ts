import { describe, expect, test } from 'bun:test';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { rawExchange } from '../support/raw.ts';
import { onFolder } from '../support/storage.ts';
import { BusyClients } from './busy-clients.ts';

const CLIENTS = 40;

/** Half of the time after which the service considers a connection idle, in ms. */
const BUSY = 25;

/** Stops a service under load. */
async function stopBusyService(): Promise<BusyClients> {
  using folder = temporaryFolder();
  await using service = await ServiceProcess.start({
    ...onFolder(folder.path),
    PETSTORE_ANONYMOUS_PER_MINUTE: '1000000',
    PETSTORE_ANONYMOUS_PER_DAY: '1000000',
  });
  const clients = new BusyClients(service.port, CLIENTS);
  await eventually(() => clients.replies > 10 * CLIENTS);
  clients.longestStall = 0;
  expect(await service.end('SIGTERM')).toBe(0);
  await clients.ended;
  return clients;
}

describe('a signal to a service without a drain', () => {
  test('loses no request of busy keep-alive clients: each connection ends with a reply', async () => {
    let clients = await stopBusyService();
    // The attempt does not count if this process waited for a processor, because its clients were not busy then.
    for (let again = 0; clients.longestStall > BUSY && again < 20; again += 1) {
      clients = await stopBusyService();
    }
    expect(clients).toMatchObject({ unanswered: 0, closed: CLIENTS });
  });
});

describe('a request that asks for the end of its connection', () => {
  test.each(['close', 'Close', 'foo, close'])('reads so in the reply: %s', async (option) => {
    await using service = await TestService.start();
    for (const path of ['/v1/pets', '/v1/openapi.json', '/']) {
      const { replies } = await rawExchange(service.port, [
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: ${option}\r\n\r\n`,
      ]);
      expect(replies.map(({ headers }) => headers['connection'])).toEqual(['close']);
    }
    for (const path of ['/livez', '/none']) {
      const { replies } = await rawExchange(Number(new URL(service.opsUrl).port), [
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: ${option}\r\n\r\n`,
      ]);
      expect(replies.map(({ headers }) => headers['connection'])).toEqual(['close']);
    }
  });

  test('is the only one whose reply says that', async () => {
    await using service = await TestService.start();
    const { replies } = await rawExchange(service.port, [
      'GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    ]);
    expect(replies.map(({ headers }) => headers['connection'])).toEqual([undefined, 'close']);
  });
});
