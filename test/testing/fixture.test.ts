import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';

const KEY = `pst_live_${'a'.repeat(36)}`;
const STAGING_KEY = `pst_staging_${'b'.repeat(36)}`;

/** Starts a service with this fixture in its own folder. */
async function serveWith(fixture: unknown) {
  const folder = temporaryFolder();
  const path = join(folder.path, 'fixture.json');
  await Bun.write(path, typeof fixture === 'string' ? fixture : JSON.stringify(fixture));
  const readyFile = join(folder.path, 'ready.json');
  const args = ['--ephemeral', '--fixture', path, '--ready-file', readyFile];
  const service = await ServiceProcess.start({ TMPDIR: folder.path }, args);
  await eventually(() => Bun.file(readyFile).exists());
  return {
    ready: await Bun.file(readyFile).json(),
    get(path: string, key: string, environment?: 'production' | 'staging', method = 'GET') {
      const headers = { Authorization: `Bearer ${key}` };
      return fetch(service.url(environment) + path, { method, headers });
    },
    async [Symbol.asyncDispose]() {
      await service.end('SIGTERM');
      folder[Symbol.dispose]();
    },
  };
}

function account(more: object) {
  return { accounts: [{ email: 'a@example.com', keys: [{ key: KEY, name: 'ci' }] }], ...more };
}

/** Runs a command with this fixture, which it must refuse; returns the lines on stderr. */
async function refusalOf(fixture: string): Promise<string[]> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'fixture.json');
  await Bun.write(path, fixture);
  const { code, stderr } = await runCommand(['run', '--fixture', path, '--', 'true'], {
    TMPDIR: folder.path,
  });
  expect(code).toBe(2);
  return stderr.trim().replaceAll(`petstore: ${path}`, 'FILE').split('\n');
}

describe('a fixture', () => {
  test('has keys that a person chose, with the limits of their plan', async () => {
    await using service = await serveWith({
      accounts: [
        {
          email: 'a@example.com',
          plan: 'pro',
          keys: [
            { environment: 'production', key: KEY, name: 'ci' },
            { environment: 'staging', key: STAGING_KEY },
          ],
        },
      ],
    });
    const reply = await service.get('/pets', KEY);
    expect([reply.status, reply.headers.get('X-RateLimit-Limit')]).toEqual([200, '300']);
    expect((await service.get('/pets', STAGING_KEY, 'staging')).status).toBe(200);
    expect((await service.get('/pets', STAGING_KEY)).status).toBe(401);
    expect((await service.get('/pets', KEY.replace('a', 'c'))).status).toBe(401);
    expect(service.ready.keys).toContainEqual({
      account: 'a@example.com',
      environment: 'production',
      name: 'ci',
      key: KEY,
    });
  });

  test('has animals whose ids begin with 1, with exact categories', async () => {
    await using service = await serveWith(
      `{"accounts":[{"email":"a@example.com","keys":[{"key":"${KEY}"}]}],
        "pets":{"production":[{"name":"One","categoryId":9007199254740993},
        {"name":"Two","categoryId":"9223372036854775807","status":"sold"}]}}`,
    );
    expect(await (await service.get('/pets', KEY)).text()).toBe(
      '[{"id":1,"name":"One","categoryId":9007199254740993,"status":"available"},' +
        '{"id":2,"name":"Two","categoryId":9223372036854775807,"status":"sold"}]',
    );
  });

  test('has animals that belong to an account, and to nobody', async () => {
    const keys = [{ key: KEY }, { environment: 'staging', key: STAGING_KEY }];
    const other = `pst_live_${'c'.repeat(36)}`;
    const rex = { name: 'Rex', categoryId: 1 };
    await using service = await serveWith({
      accounts: [
        { email: 'A@example.com', keys },
        { email: 'b@example.com', keys: [{ key: other }] },
      ],
      pets: {
        production: [{ ...rex, account: 'a@Example.com' }, rex],
        staging: [{ ...rex, account: 'b@example.com' }],
      },
    });
    const remove = async (id: number, key: string, environment?: 'staging') =>
      (await service.get(`/pets/${id}`, key, environment, 'DELETE')).status;
    expect(await remove(1, other)).toBe(403);
    expect(await remove(1, STAGING_KEY, 'staging')).toBe(403);
    expect([await remove(1, KEY), await remove(2, other)]).toEqual([204, 204]);
  });

  test('has used limits, which the first request meets', async () => {
    const usage = [{ account: 'a@example.com', minuteUsed: 59, dayUsed: 100 }];
    await using service = await serveWith(account({ usage }));
    const first = await service.get('/pets', KEY);
    expect([first.status, first.headers.get('X-RateLimit-Remaining')]).toEqual([200, '0']);
    expect((await service.get('/pets', KEY)).status).toBe(429);
  });

  test('has bans in force', async () => {
    await using service = await serveWith(account({ bans: [{ key: KEY, seconds: 3_600 }] }));
    const reply = await service.get('/pets', KEY);
    expect(await reply.json()).toMatchObject({ code: 'api_key_banned', status: 429 });
    expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(3_500);
  });

  test('may have more messages and bans than are written at once', async () => {
    const message = { account: 'a@example.com', message: 'Hello' };
    const messages = Array.from({ length: 12_000 }, () => message);
    const bans = Array.from({ length: 12_000 }, () => ({ key: KEY, seconds: 3_600 }));
    await using service = await serveWith(account({ messages, bans }));
    expect((await service.get('/pets', KEY)).status).toBe(429);
  });

  test('sets the time, so that a removed operation can be met', async () => {
    const clock = { now: '2030-12-05T00:00:00Z' };
    await using service = await serveWith(account({ clock }));
    const reply = await service.get('/pets/1', KEY);
    expect(await reply.json()).toMatchObject({ code: 'operation_removed', status: 410 });
  });

  test('advances the time, past the end of a key', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const accounts = [{ email: 'a@example.com', keys: [{ key: KEY, expiresAt }] }];
    const before = await refusalOf(JSON.stringify({ accounts, clock: { advanceSeconds: 7_200 } }));
    expect(before).toEqual(['FILE: /accounts/0/keys/0/expiresAt must be in the future.']);
  });
});

describe('a fixture that cannot be used', () => {
  test('is refused with every problem at once, each with its JSON Pointer', async () => {
    const problems = await refusalOf(
      JSON.stringify({
        accounts: [
          { emai: 'a@example.com', keys: [{ key: 'x' }] },
          { email: 'b@example.com', plan: 'gold', perMinute: 0 },
        ],
        pets: { production: [{ name: '', categoryId: 1 }, { categoryId: 1.5 }] },
        'x/y': 1,
      }),
    );
    expect(problems.map((line) => line.split(' ')[1]).sort()).toEqual([
      '/accounts/0/emai',
      '/accounts/0/email',
      '/accounts/0/keys/0/key',
      '/accounts/1/perMinute',
      '/accounts/1/plan',
      '/pets/production/0/name',
      '/pets/production/1/categoryId',
      '/pets/production/1/name',
      '/x~1y',
    ]);
  });

  test('is refused for both at once: a wrong shape, and what its schema cannot say', async () => {
    const account = 'nobody@example.com';
    const accounts = [
      { email: 'nobody' },
      { email: 'b@example.com', plan: 'gold', keys: [{ key: KEY, name: 1 }] },
      { email: 'c@example.com', plan: 'enterprise' },
    ];
    const problems = await refusalOf(
      JSON.stringify({
        accounts,
        clock: {},
        messages: [
          { account, message: '' },
          { account, message: 'hi' },
          { account: 'B@example.com', message: '\ud800' },
        ],
        usage: [{ account }, { account: 'b@example.com', dayUsed: -1 }],
        bans: [
          { key: KEY, seconds: 1 },
          { key: STAGING_KEY, seconds: 1 },
        ],
      }),
    );
    expect(problems.map((line) => line.split(' ')[1]).sort()).toEqual([
      '/accounts/0/email',
      '/accounts/1/keys/0/name',
      '/accounts/1/plan',
      '/accounts/2/plan',
      '/bans/1/key',
      '/clock',
      '/messages/0/message',
      '/messages/1/account',
      '/messages/2/message',
      '/usage/0/account',
      '/usage/1/dayUsed',
    ]);
  });

  test('is refused for times that do not exist', async () => {
    const keys = [{ expiresAt: '2099-02-29T00:00:00Z' }, { expiresAt: '2096-02-29T23:59:59.9Z' }];
    const problems = await refusalOf(
      JSON.stringify({
        clock: { now: '2030-13-01T00:00:00Z' },
        accounts: [{ email: 'a@example.com', keys }],
      }),
    );
    expect(problems).toEqual([
      'FILE: /clock/now must be a time that exists, from 1970 on.',
      'FILE: /accounts/0/keys/0/expiresAt must be a time that exists, from 1970 on.',
    ]);
  });

  test('is refused for what its schema cannot say', async () => {
    const problems = await refusalOf(
      JSON.stringify({
        clock: {},
        accounts: [
          { email: 'a@example.com', plan: 'enterprise', keys: [{ key: STAGING_KEY }] },
          { email: 'A@example.com', keys: [{ environment: 'staging', key: STAGING_KEY }] },
        ],
        pets: {
          production: [
            { name: 'Rex', categoryId: 1, account: 'A@Example.com' },
            { name: 'Rex', categoryId: 1, account: 'nobody@example.com' },
          ],
          staging: [{ name: '\u3000', categoryId: '9223372036854775808' }],
        },
        messages: [{ account: 'nobody@example.com', message: 'hi' }],
        usage: [{ account: 'nobody@example.com' }],
        bans: [{ key: KEY, seconds: 1 }],
      }),
    );
    expect(problems.map((line) => line.split(' ')[1])).toEqual([
      '/clock',
      '/accounts/0/plan',
      '/accounts/0/keys/0/key',
      '/accounts/1/email',
      '/accounts/1/keys/0/key',
      '/pets/staging/0/name',
      '/pets/staging/0/categoryId',
      '/messages/0/account',
      '/usage/0/account',
      '/pets/production/1/account',
      '/bans/0/key',
    ]);
    expect(problems).toContain(
      'FILE: /pets/production/1/account must be the address of an account.',
    );
  });

  test.each([
    ['{"pets":', 'FILE is not valid JSON: it breaks off at line 1, column 9. Send all of it.'],
    [
      '{"pets":{},\n"pets":{}}',
      'FILE is not valid JSON: it has a member twice, again at line 2, column 1.',
    ],
    ['{"pets":{},}', 'FILE is not valid JSON: see line 1, column 12.'],
    ['[]', 'FILE: must be an object.'],
  ])('is refused when it is %p', async (text, message) => {
    expect((await refusalOf(text))[0]).toStartWith(message);
  });

  test('is refused when it cannot be read', async () => {
    const { code, stderr } = await runCommand(
      ['run', '--fixture', '/no/such/file.json', '--', 'true'],
      {},
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('Cannot read the fixture')]);
  });
});

test('the published schema of fixtures is up to date', async () => {
  const published = readFileSync(join(import.meta.dir, '../../fixture.schema.json'), 'utf8');
  const { stdout } = await runCommand(['fixture-schema'], {});
  expect(published).toBe(stdout);
});
