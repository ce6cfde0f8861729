import { expect, test } from 'bun:test';
import { Listener } from '../../src/http/connection/listener.ts';

test('a request whose handling fails unexpectedly gets 500 without the cause, which is logged', async () => {
  const logged: unknown[] = [];
  const log = { error: (fields: object) => logged.push(fields) };
  const listener = new Listener('127.0.0.1', 0, log);
  const err = new Error('the cause');
  listener.handle(() => Promise.reject(err), []);
  const reply = await fetch(`http://127.0.0.1:${listener.port}/`);
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([500, 'application/json']);
  const text = await reply.text();
  expect(JSON.parse(text)).toMatchObject({ code: 'internal_error', status: 500 });
  expect(text).not.toContain('the cause');
  expect(logged).toEqual([{ err }]);
  await listener.stop(1_000, 0);
});
