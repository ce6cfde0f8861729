import { describe, expect, test } from 'bun:test';
import { Listener } from '../../src/http/connection/listener.ts';
import { eventually, SILENT_LOG } from '../support/harness.ts';
import { rawExchange } from '../support/raw.ts';

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

async function isOpen(port: number): Promise<boolean> {
  const reply = await fetch(`http://127.0.0.1:${port}/`, { keepalive: false }).catch(
    () => undefined,
  );
  return reply?.status === 204;
}

describe('a port that is closed for a while', () => {
  test('answers requests in flight as the last ones of their connections, and opens again', async () => {
    const listener = new Listener('127.0.0.1', 0, SILENT_LOG);
    const received = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let isFirst = true;
    listener.handle(async () => {
      if (isFirst) {
        isFirst = false;
        received.resolve();
        await release.promise;
      }
      return new Response(null, { status: 204 });
    }, []);
    const inFlight = rawExchange(listener.port, [GET]);
    await received.promise;

    await listener.pause();
    expect(await isOpen(listener.port)).toBe(false);
    release.resolve();
    expect((await inFlight).replies).toMatchObject([
      { status: 204, headers: { connection: 'close' } },
    ]);

    listener.resume();
    expect(await isOpen(listener.port)).toBe(true);
    await listener.stop(1_000, 0);
    expect(await isOpen(listener.port)).toBe(false);
  });

  test('is closed for good only after the replies to requests in flight', async () => {
    const listener = new Listener('127.0.0.1', 0, SILENT_LOG);
    const received = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    listener.handle(async () => {
      received.resolve();
      await release.promise;
      return new Response(null, { status: 204 });
    }, []);
    const inFlight = rawExchange(listener.port, [GET]);
    await received.promise;

    const pausing = listener.pause();
    let isStopped = false;
    const stopping = listener.stop(60_000, 0).then(() => {
      isStopped = true;
    });
    await pausing;
    expect(isStopped).toBe(false);
    release.resolve();
    expect((await inFlight).replies).toMatchObject([{ status: 204 }]);
    await stopping;
  });

  test('closes used connections that are idle before those with a half-sent request', async () => {
    const listener = new Listener('127.0.0.1', 0, SILENT_LOG);
    let replies = 0;
    listener.handle(() => {
      replies += 1;
      return new Response(null, { status: 204 });
    }, []);
    const ended: string[] = [];
    const open = async (name: string, bytes: string) => {
      await rawExchange(listener.port, [bytes]);
      ended.push(name);
    };
    const connections = [open('half', GET.slice(0, 9)), open('idle', GET)];
    await eventually(() => replies === 1);
    expect(await isOpen(listener.port)).toBe(true);

    await listener.pause();
    await Promise.all(connections);
    expect(ended).toEqual(['idle', 'half']);
    await listener.stop(1_000, 0);
  });

  test('drops half-sent requests, and stays closed once it is stopped', async () => {
    const listener = new Listener('127.0.0.1', 0, SILENT_LOG);
    listener.handle(() => new Response(null, { status: 204 }), []);
    let isDropped = false;
    const half = rawExchange(listener.port, ['GET / HTTP/1.1\r\nHo']).then(({ text }) => {
      isDropped = true;
      return text;
    });
    expect(await isOpen(listener.port)).toBe(true);

    await listener.pause();
    await eventually(() => isDropped);
    expect(await half).toBe('');

    await listener.stop(1_000, 0);
    listener.resume();
    expect(await isOpen(listener.port)).toBe(false);
  });
});
