import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { SECOND } from '../../src/lib/clock.ts';
import { eventually, type NewAccount, TestService } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { send, WITH_QUICKSTART } from '../support/quickstart-scene.ts';

/** A store whose tables can refuse all new rows. */
interface Scene {
  start(): Promise<TestService>;
  refuse(service: TestService, table: string): Promise<void>;
  accept(service: TestService, table: string): Promise<void>;
}

const PET = { name: 'Rex', categoryId: 1 };
const EXPIRY = 31 * SECOND;

async function readyz({ opsUrl }: TestService): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${opsUrl}/readyz`);
  return { status: reply.status, text: await reply.text() };
}

async function metrics({ opsUrl }: TestService): Promise<string> {
  return (await fetch(`${opsUrl}/metrics`)).text();
}

/** Waits until the process is ready, and starts with no failed write. */
async function ready(service: TestService): Promise<void> {
  await eventually(async () => (await readyz(service)).status === 200);
}

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 1) await work().catch(() => {});
}

const create = (service: TestService, { secret }: NewAccount) => service.post(secret, PET);

/** Writes by kind: the table that refuses them, and a request or call that makes one. */
const KINDS: ReadonlyArray<
  readonly [
    kind: string,
    table: string,
    write: typeof create | ((...args: Parameters<typeof create>) => Promise<unknown>),
  ]
> = [
  ['creations in production', 'pets', create],
  ['messages', 'messages', (service, { secret }) => send(service, secret, { message: 'Hello!' })],
  [
    'changes of keys',
    'api_keys',
    (service, { account }) =>
      service.stores.apiKeyService.issue(
        account,
        { environment: 'production', name: 'more' },
        'test',
      ),
  ],
  ['changes of accounts', 'accounts', (service) => service.account()],
];

/** Writes that background jobs repeat. */
const SAVES = [
  ['saves of quotas in production', 'quotas'],
  ['saves of usage', 'key_usage'],
] as const;

function behaviour(scene: () => Scene): void {
  let service: TestService;
  let account: NewAccount;
  beforeAll(async () => {
    service = await scene().start();
    account = await service.account();
    await create(service, account);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  for (const [kind, table, write] of KINDS) {
    test(`all ${kind} that fail for 10 s make the process not ready, and one that succeeds ends it`, async () => {
      await ready(service);
      await scene().refuse(service, table);
      await times(3, () => write(service, account));
      expect((await readyz(service)).status).toBe(200);
      service.clock.advance(10 * SECOND);
      const { status, text } = await readyz(service);
      expect(status).toBe(503);
      expect(text).toMatch(
        new RegExp(
          `^all ${kind} have failed for 1\\d\\.\\d s \\(3 tries, the last 1\\d\\.\\d s ago\\): \\S`,
          'm',
        ),
      );
      expect(await metrics(service)).toContain('petstore_not_ready{check="write_kinds"} 1\n');
      expect(await metrics(service)).toContain(`petstore_write_kind_failing{kind="${kind}"} 1\n`);
      await scene().accept(service, table);
      await write(service, account);
      expect((await readyz(service)).text).not.toContain(kind);
      expect(await metrics(service)).toContain(`petstore_write_kind_failing{kind="${kind}"} 0\n`);
      await ready(service);
    });
  }

  for (const [kind, table] of SAVES) {
    test(`all ${kind} that fail make the process not ready, until one succeeds`, async () => {
      await ready(service);
      await scene().refuse(service, table);
      await eventually(
        async () => {
          await service.request('/pets', { key: account.secret });
          service.clock.advance(2 * SECOND);
          return (await readyz(service)).text.includes(`all ${kind} have failed`);
        },
        60_000,
        300,
      );
      expect((await readyz(service)).status).toBe(503);
      await scene().accept(service, table);
      await eventually(async () => !(await readyz(service)).text.includes(kind));
      await ready(service);
    });
  }

  test('saves of the request log that fail are a warning only', async () => {
    await ready(service);
    await scene().refuse(service, 'request_log');
    await eventually(
      async () => {
        await service.request('/pets', { key: account.secret });
        service.clock.advance(2 * SECOND);
        return (await readyz(service)).text.includes('all saves of the request log have failed');
      },
      60_000,
      300,
    );
    expect((await readyz(service)).status).toBe(200);
    await scene().accept(service, 'request_log');
    await eventually(async () => (await readyz(service)).text === 'ready\n');
  });

  test('fewer than three failures, or ones between which another succeeds, do not', async () => {
    await scene().refuse(service, 'pets');
    await times(2, () => create(service, account));
    service.clock.advance(12 * SECOND);
    expect((await readyz(service)).status).toBe(200);
    await scene().accept(service, 'pets');
    expect((await create(service, account)).status).toBe(201);
    await scene().refuse(service, 'pets');
    await times(2, () => create(service, account));
    service.clock.advance(12 * SECOND);
    expect((await readyz(service)).status).toBe(200);
    await scene().accept(service, 'pets');
    await create(service, account);
  });

  test('without requests the process is ready again after 30 s, and one failure suffices then', async () => {
    await scene().refuse(service, 'pets');
    await times(3, () => create(service, account));
    service.clock.advance(10 * SECOND);
    expect((await readyz(service)).status).toBe(503);
    service.clock.advance(EXPIRY);
    await ready(service);
    expect((await create(service, account)).status).toBeGreaterThanOrEqual(500);
    expect((await readyz(service)).status).toBe(503);
    await scene().accept(service, 'pets');
    expect((await create(service, account)).status).toBe(201);
    await ready(service);
  });

  test('refusals that are the fault of the client do not count', async () => {
    const headers = { 'Idempotency-Key': 'used' };
    expect((await service.post(account.secret, PET, headers)).status).toBe(201);
    for (let tries = 0; tries < 4; tries += 1) {
      const again = await service.post(account.secret, { ...PET, name: 'Another' }, headers);
      expect(again.status).toBe(422);
      expect((await service.post(account.secret, { name: '' })).status).toBe(400);
    }
    service.clock.advance(12 * SECOND);
    expect((await readyz(service)).status).toBe(200);
  });
}

describe('on SQLite', () => {
  const FILES: Readonly<Record<string, string>> = {
    pets: 'production.db',
    quotas: 'production.db',
    request_log: 'requests.db',
  };
  const change = async ({ folder }: TestService, table: string, sql: string) => {
    const database = new Database(join(folder.path, FILES[table] ?? 'accounts.db'));
    database.run('PRAGMA busy_timeout = 5000');
    database.run(sql);
    database.close();
  };
  behaviour(() => ({
    start: () => TestService.start({ parts: WITH_QUICKSTART }),
    refuse: (service, table) =>
      change(
        service,
        table,
        `CREATE TRIGGER refuse_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'read-only'); END`,
      ),
    accept: (service, table) => change(service, table, `DROP TRIGGER refuse_${table}`),
  }));
});

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let server: PostgresServer;
  let url: URL;
  let admin: SQL;
  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.run('CREATE ROLE clerk LOGIN');
    url = new URL(await server.createDatabase('OWNER clerk'));
    admin = new SQL({ url: url.href, max: 2 });
    url.username = 'clerk';
  });
  afterAll(async () => {
    await admin.close();
    await server[Symbol.asyncDispose]();
  });
  const start = (database = url.href) =>
    TestService.start({
      parts: WITH_QUICKSTART,
      settings: { PETSTORE_DATABASE_URL: database, PETSTORE_SECRET: SECRET },
    });

  describe('with a right that is revoked', () => {
    behaviour(() => ({
      start: () => start(),
      refuse: async (_, table) => {
        await admin.unsafe(`REVOKE INSERT ON ${table} FROM clerk`);
      },
      accept: async (_, table) => {
        await admin.unsafe(`GRANT INSERT ON ${table} TO clerk`);
      },
    }));
  });

  test('with a table that is locked, while other kinds succeed', async () => {
    const database = await server.createDatabase();
    await using service = await start(database);
    const account = await service.account();
    await create(service, account);
    await using other = new SQL({ url: database, max: 1 });
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const lock = other.begin(async (transaction) => {
      await transaction.unsafe('LOCK TABLE pets IN EXCLUSIVE MODE');
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    for (let tries = 0; tries < 3; tries += 1) {
      expect((await create(service, account)).status).toBe(503);
    }
    service.clock.advance(5 * SECOND);
    const { status, text } = await readyz(service);
    expect(status).toBe(503);
    expect(text).toMatch(/^all creations in production have failed for \d+\.\d s \(3 tries/m);
    expect(text).not.toContain('messages');
    expect((await send(service, account.secret, { message: 'Hello!' })).status).toBe(202);
    released.resolve();
    await lock;
    expect((await create(service, account)).status).toBe(201);
    await ready(service);
  });
});
