import { expect, test } from 'bun:test';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';

test('health reports that a service is alive, and that it is ready', async () => {
  using folder = temporaryFolder();
  await using service = await ServiceProcess.start({
    PETSTORE_DATA_DIR: folder.path,
    PETSTORE_OPS_HOST: '0.0.0.0',
  });
  const settings = { PETSTORE_OPS_HOST: '0.0.0.0', PETSTORE_OPS_PORT: String(service.opsPort) };
  const alive = await runCommand(['health'], settings);
  expect(alive).toEqual({ code: 0, stdout: 'live\n', stderr: '' });
  expect(await runCommand(['health', '--wait', '60s'], settings)).toMatchObject({ code: 0 });
  const ready = await runCommand(['health', '--ready', '--json'], settings);
  const url = `http://127.0.0.1:${service.opsPort}/readyz`;
  expect(ready).toEqual({ code: 0, stdout: `{"url":"${url}","answer":"ready"}\n`, stderr: '' });
});

test('health asks the service itself, although the environment names a proxy', async () => {
  await using service = Bun.serve({ port: 0, fetch: () => new Response('live\n') });
  const proxy = 'http://127.0.0.1:1';
  const settings = { PETSTORE_OPS_PORT: String(service.port) };
  for (const name of ['HTTP_PROXY', 'http_proxy']) {
    const asked = await runCommand(['health'], { ...settings, [name]: proxy });
    expect(asked).toEqual({ code: 0, stdout: 'live\n', stderr: '' });
  }
});

test('health fails with advice when nothing answers', async () => {
  const { code, stdout, stderr } = await runCommand(['health'], { PETSTORE_OPS_PORT: '1' });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^petstore: http:\/\/127\.0\.0\.1:1\/livez does not answer\. Is the service running.+\n$/,
  );
});

test('health fails with the reason while the service is not ready', async () => {
  await using draining = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('draining\n', { status: 503 }),
  });
  const settings = { PETSTORE_OPS_PORT: String(draining.port) };
  const { code, stderr } = await runCommand(['health', '--ready'], settings);
  expect(code).toBe(1);
  expect(stderr).toEndWith('/readyz answers 503: draining\n');
});

test('health --wait asks again after an answer that breaks off', async () => {
  let asked = 0;
  await using service = Bun.listen<undefined>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        asked += 1;
        const isWhole = asked > 1;
        const head = `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n`;
        socket.end(`${head}${isWhole ? 'ready' : 're'}`);
      },
    },
  });
  const settings = { PETSTORE_OPS_PORT: String(service.port) };
  const { code, stdout } = await runCommand(['health', '--wait', '60s'], settings);
  expect([code, stdout, asked]).toEqual([0, 'ready\n', 2]);
});

test('health requires the port of a service that picks a free one', async () => {
  const { code, stderr } = await runCommand(['health'], { PETSTORE_OPS_PORT: '0' });
  expect([code, stderr]).toEqual([
    2,
    'petstore: Set PETSTORE_OPS_PORT to the port of the service.\n',
  ]);
});
