import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Listener } from '../../src/http/listener.ts';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, ServiceProcess, SOURCE } from '../support/process.ts';
import { makeKey, onFolder } from '../support/storage.ts';

test('a request whose code cannot be loaded gets 503, and the next one tries again', async () => {
  using folder = temporaryFolder();
  const key = await makeKey(folder.path, 'staging');
  await using service = await ServiceProcess.run([...SOURCE, 'serve'], {
    env: cleanEnvironment({
      ...{ ...onFolder(folder.path), PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' },
      BUN_OPTIONS: `--preload ${join(import.meta.dir, 'failing-imports.ts')}`,
    }),
  });
  const headers = { Authorization: `Bearer ${key}`, 'Petstore-Simulate': 'pet_not_found' };
  for (const [path, status] of [
    ['/staging/v1/pets', 404],
    ['/staging/v1/openapi.json', 200],
    ['/staging/sandbox/', 200],
  ] as const) {
    const url = `http://localhost:${service.port}${path}`;
    const failed = await fetch(url, { headers });
    expect([path, failed.status, failed.headers.get('Retry-After')]).toEqual([path, 503, '1']);
    expect(await failed.json()).toMatchObject({ code: 'unavailable', status: 503 });
    expect([path, (await fetch(url, { headers })).status]).toEqual([path, status]);
  }
  await service.end('SIGTERM');
  expect(await service.output()).toContain('no file descriptor is left');
});

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
