import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { messageOf, StorageUnavailable } from '../../src/core/errors.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { eventually, TestService } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';

const REX = { name: 'Rex', categoryId: 7 };

/** More than a process has connections. */
const MANY = 30;

/** The message of the cause with which something fails; `undefined` if it succeeds. */
async function causeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof StorageUnavailable) return messageOf(error.cause);
    throw error;
  }
}

describe.skipIf(!hasPostgres)('connections to PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Keeps everybody else from a table until it is disposed of. */
  async function lock(url: string, table: string): Promise<AsyncDisposable> {
    const held = Promise.withResolvers<void>();
    const isOver = Promise.withResolvers<void>();
    const sql = new SQL({ url, max: 1 });
    const transaction = sql.begin(async (connection) => {
      await connection.unsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      held.resolve();
      await isOver.promise;
    });
    await held.promise;
    return {
      async [Symbol.asyncDispose]() {
        isOver.resolve();
        await transaction;
        await sql.close();
      },
    };
  }

  test('are not all held by reads that wait: other requests are answered, and the reads get 503', async () => {
    const url = await server.createDatabase();
    await using service = await TestService.start({
      settings: { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET },
      parts: ['production', 'quickstart'],
    });
    const { secret } = await service.account();
    const other = await service.account();
    expect((await service.post(secret, REX)).status).toBe(201);
    const page = () =>
      service.request(`/pets?after=0&limit=${1 + Math.floor(Math.random() * 99)}`, { key: secret });
    {
      await using _ = await lock(url, 'pets');
      const waiting = Array.from({ length: MANY }, page);
      // Its key is looked up, and its message is added.
      const sent = await fetch(`${service.url('quickstart')}/messages`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${other.secret}`,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ message: 'Hello!' }),
      });
      expect(sent.status).toBe(202);
      const replies = await Promise.all(waiting);
      expect([...new Set(replies.map(({ status }) => status))]).toEqual([503]);
      for (const { headers } of replies) {
        expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      }
    }
    await eventually(async () => (await page()).status === 200);
  });

  test('of deletions that wait for a lock do not hold up the change feed', async () => {
    const url = await server.createDatabase();
    await using service = await TestService.start({
      settings: {
        PETSTORE_DATABASE_URL: url,
        PETSTORE_SECRET: SECRET,
        PETSTORE_DATABASE_CONNECTIONS: '2',
      },
      parts: ['production'],
    });
    const { messages, changes } = service.stores;
    let pruned = 0;
    const prune = async () => {
      await messages.prune(0);
      pruned += 1;
    };
    let pruning: Promise<void>[];
    {
      await using _ = await lock(url, 'messages');
      pruning = [prune(), prune()];
      for (let read = 0; read < 5; read += 1) await changes.revision();
      expect(pruned).toBe(0);
    }
    await Promise.all(pruning);
    expect(pruned).toBe(2);
  });

  test('are replaced when the server process of one hangs', async () => {
    const url = await server.createMigrated();
    const database = new PostgresDatabase(url, [url], undefined, 2);
    const reads = database.of('reads');
    try {
      const before = await reads.get<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const pid = before?.pid ?? 0;
      process.kill(pid, 'SIGSTOP');
      try {
        expect(await causeOf(reads.get('SELECT 1'))).toBe('No reply within 2000 ms.');
        const after = await reads.get<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        expect(after?.pid).not.toBe(pid);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      const open = 'SELECT 1 FROM pg_stat_activity WHERE pid = $1';
      await eventually(async () => (await database.all(open, pid)).length === 0);
    } finally {
      await database.close();
    }
  });

  test('serve at most half of them one kind of statements, and each wait for one has an end', async () => {
    const url = await server.createMigrated();
    const database = new PostgresDatabase(url, [url], undefined, 4);
    const creations = database.of('creations');
    const gate = Promise.withResolvers<void>();
    let running = 0;
    const hold = () =>
      creations.transaction(async () => {
        running += 1;
        await gate.promise;
        return 'done';
      });
    try {
      const held = [hold(), hold(), hold()];
      await eventually(() => running === 2);
      const saves = database.of('saves');
      expect(await Promise.all([saves.run('SELECT 1'), saves.run('SELECT 1')])).toEqual([1, 1]);
      expect(await causeOf(creations.run('SELECT 1'))).toBe('No reply within 7000 ms.');
      expect(running).toBe(2);
      gate.resolve();
      expect(await Promise.all(held)).toEqual(['done', 'done', 'done']);
    } finally {
      await database.close();
    }
  });

  test('are shared by reads, and by nothing that changes', async () => {
    const url = await server.createMigrated();
    const database = new PostgresDatabase(url, [url], undefined, 2);
    try {
      const reads = Array.from({ length: MANY }, () => database.of('reads').get('SELECT 1 AS one'));
      const creations = Array.from({ length: MANY }, () =>
        database.of('creations').transaction((queries) => queries.get('SELECT 2 AS two')),
      );
      expect(await Promise.all(reads)).toEqual(reads.map(() => ({ one: 1 })));
      expect(await Promise.all(creations)).toEqual(creations.map(() => ({ two: 2 })));
    } finally {
      await database.close();
    }
  });
});
