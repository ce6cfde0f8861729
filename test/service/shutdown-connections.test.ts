import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { Listener } from '../../src/http/connection/listener.ts';
import { eventually, SILENT_LOG, TestService } from '../support/harness.ts';

describe('a stop does not wait for a connection', () => {
  test.each([
    ['without a request, as browsers open them in advance', ''],
    ['whose request is incomplete', 'GET /v1/pets HTTP/1.1\r\nHost:'],
  ])('%s', async (_, sent) => {
    await using service = await TestService.start();
    const socket = connect(service.port);
    await new Promise((resolve) => socket.write(sent, resolve));
    await fetch(`http://127.0.0.1:${service.port}/v1/pets`);
    // Otherwise the connection ends at the earliest after 8 s, with the time for receiving a request.
    const late = Bun.sleep(7_000).then(() => 'late');
    expect(await Promise.race([service.stop(), late])).toBeUndefined();
    socket.destroy();
  });

  test('but lets a client that reads slowly receive the whole reply', async () => {
    const listener = new Listener('127.0.0.1', 0, SILENT_LOG);
    const length = 50_000_000;
    listener.handle(() => new Response('x'.repeat(length)), []);
    const socket = connect(listener.port, '127.0.0.1');
    let received = 0;
    const begun = Promise.withResolvers<void>();
    socket.once('data', () => {
      socket.pause();
      begun.resolve();
    });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await begun.promise;
    const stopped = listener.stop(60_000, 0);
    // Longer than the stop waits for a connection whose reply was sent.
    await Bun.sleep(2_500);
    socket.resume();
    await stopped;
    await eventually(() => received > length);
    socket.destroy();
  });
});
