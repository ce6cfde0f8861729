import { describe, expect, test } from 'bun:test';
import { PetstoreClient } from '../../../client/src/index.ts';
import { eventually, temporaryFolder } from '../../support/harness.ts';
import { cleanEnvironment, PROGRAM, runCommand, ServiceProcess } from '../../support/process.ts';
import { makeKey, onFolder } from '../../support/storage.ts';
import { withStores } from './delivery-rounds.ts';

const EVERYTHING_BUT_PAGES = ['--only', 'production,staging,quickstart'];

function clientOf(service: ServiceProcess, apiKey: string): PetstoreClient {
  return new PetstoreClient({
    apiKey,
    baseUrl: service.url(),
    quickstartBaseUrl: `http://localhost:${service.port}/quickstart`,
    maxRetries: 0,
  });
}

async function nothingQueued(folder: string): Promise<boolean> {
  return withStores(folder, async ({ messages }) => (await messages.queued()) === 0);
}

describe('serve --only quickstart', () => {
  test('works alone: takes messages of both environments and delivers them', async () => {
    using folder = temporaryFolder();
    const keys = [await makeKey(folder.path), await makeKey(folder.path, 'staging')];
    await using service = await ServiceProcess.start(onFolder(folder.path), [
      ...['--only', 'quickstart'],
    ]);
    for (const key of keys) {
      expect((await clientOf(service, key).sendMessage('Hello!')).status).toBe('queued');
    }
    await eventually(() => nothingQueued(folder.path));
    const { status } = await fetch(`${service.url()}/pets`);
    expect(status).not.toBe(200);
    expect(await service.end('SIGTERM')).toBe(0);
  });

  test.each(['production', 'staging'] as const)(
    'is refused with the reason beside a process that serves %s from the same folder',
    async (name) => {
      using folder = temporaryFolder();
      await makeKey(folder.path);
      await using other = await ServiceProcess.start(onFolder(folder.path), ['--only', name]);
      const settings = { ...onFolder(folder.path), PETSTORE_PORT: '0' };

      const refused = await runCommand(['serve', '--only', 'quickstart'], settings);

      expect(refused).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `petstore: Another process serves ${name} from ${folder.path}. Stop it first, or set ` +
          'PETSTORE_DATA_DIR to another folder, or set PETSTORE_REDIS_URL for all of them, so that ' +
          'they count together. The quickstart counts requests of both environments: serve it in ' +
          'the process that serves them.\n',
      });
      expect((await fetch(`${other.url(name)}/pets`)).status).toBe(401);
    },
  );

  test('keeps a process that would count the same requests from starting', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path), [
      ...['--only', 'quickstart'],
    ]);
    const settings = { ...onFolder(folder.path), PETSTORE_PORT: '0' };
    for (const part of ['production', 'staging', 'quickstart']) {
      const { code, stderr } = await runCommand(['serve', '--only', part], settings);
      expect([code, stderr]).toEqual([2, expect.stringContaining(folder.path)]);
    }
    expect((await clientOf(service, key).sendMessage('Hello!')).status).toBe('queued');
  });
});

test('serve --only dashboard runs beside the process that serves the rest of the folder', async () => {
  using folder = temporaryFolder();
  const key = await makeKey(folder.path);
  const settings = onFolder(folder.path);
  await using api = await ServiceProcess.start(settings, EVERYTHING_BUT_PAGES);
  await using pages = await ServiceProcess.start(settings, ['--only', 'dashboard']);

  expect((await clientOf(api, key).sendMessage('Hello!')).status).toBe('queued');
  await eventually(() => nothingQueued(folder.path));
  const page = await fetch(`http://localhost:${pages.port}/`, { headers: { Accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(await pages.end('SIGTERM')).toBe(0);
  expect((await clientOf(api, key).sendMessage('Still here?')).status).toBe('queued');
});

test('the start says where messages are sent', async () => {
  using folder = temporaryFolder();
  const child = Bun.spawn([...PROGRAM, 'serve', ...EVERYTHING_BUT_PAGES], {
    env: cleanEnvironment({ ...onFolder(folder.path), PETSTORE_PORT: '0' }),
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
  const first: unknown = JSON.parse(new TextDecoder().decode(value).split('\n')[0] ?? '');
  const { port } = Object(first);
  expect(first).toMatchObject({ quickstart: `http://localhost:${port}/quickstart` });
});
