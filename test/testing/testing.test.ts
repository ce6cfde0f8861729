import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Petstore, startPetstore } from '../../testing/src/index.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { MAIN } from '../support/process.ts';

const COMMAND = [process.execPath, MAIN];
const timeoutMs = 60_000;

function start(options: Parameters<typeof startPetstore>[0] = {}): Promise<Petstore> {
  return startPetstore({ command: COMMAND, timeoutMs, ...options });
}

function list(petstore: Petstore, key = petstore.key, query = ''): Promise<Response> {
  return fetch(`${petstore.url}/pets${query}`, { headers: { Authorization: `Bearer ${key}` } });
}

describe('a petstore for tests', () => {
  test('begins with the fixture, and takes the keys of both environments', async () => {
    await using petstore = await start({
      fixture: { pets: { production: [{ name: 'One', categoryId: '9007199254740993' }] } },
    });
    expect(await (await list(petstore)).text()).toContain('"categoryId":9007199254740993');
    const headers = { Authorization: `Bearer ${petstore.stagingKey}` };
    expect((await fetch(`${petstore.stagingUrl}/pets`, { headers })).status).toBe(200);
  });

  test('adds accounts, whose limits end when time passes', async () => {
    await using petstore = await start();
    const { key } = await petstore.newAccount({ plan: 'enterprise', perMinute: 1, perDay: 10 });
    expect((await list(petstore, key)).status).toBe(200);
    expect((await list(petstore, key)).status).toBe(429);
    await petstore.advance('61s');
    expect((await list(petstore, key)).status).toBe(200);
  });

  test('tells which requests arrived, without their keys', async () => {
    await using petstore = await start();
    await list(petstore, petstore.key, '?limit=1');
    await fetch(`${petstore.url}/pets`, {
      method: 'POST',
      headers: { Authorization: 'Bearer none', 'Idempotency-Key': 'k1' },
      body: '{}',
    });
    const [first, second, ...others] = await petstore.requests();
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      method: 'GET',
      url: `${petstore.url}/pets?limit=1`,
      status: 200,
      code: null,
      body: '',
    });
    expect(second).toMatchObject({
      method: 'POST',
      headers: { 'idempotency-key': 'k1' },
      body: '{}',
      status: 401,
      code: 'invalid_api_key',
    });
    expect(JSON.stringify([first, second])).not.toContain(petstore.key);
  });

  test('refuses an account that cannot be, in words', async () => {
    await using petstore = await start();
    const refused = petstore.newAccount({ plan: 'enterprise' });
    expect(refused).rejects.toThrow('needs requests per minute and per day');
    await refused.catch(() => {});
  });

  test('is gone when it is stopped', async () => {
    const petstore = await start();
    await petstore.stop();
    expect(list(petstore)).rejects.toThrow();
  });

  test('says why it does not start', async () => {
    const started = start({ fixture: { accounts: [{ email: 'nobody' }] } });
    expect(started).rejects.toThrow('/accounts/0/email must be an e-mail address.');
    await started.catch(() => {});
  });

  test('ends with the process that started it, however that ends', async () => {
    using folder = temporaryFolder(tmpdir());
    const program = `
      import { startPetstore } from '${new URL('../../testing/src/index.ts', import.meta.url).pathname}';
      const petstore = await startPetstore({ command: ${JSON.stringify(COMMAND)}, timeoutMs: ${timeoutMs} });
      await Bun.write('${folder.path}/url', petstore.url);
      setInterval(() => {}, 1000);
    `;
    const child = Bun.spawn([process.execPath, '-e', program], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const path = `${folder.path}/url`;
    let url = '';
    await eventually(async () => {
      url = existsSync(path) ? await Bun.file(path).text() : '';
      return url !== '';
    });
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    child.kill('SIGKILL');
    await eventually(() =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    );
  });
});
