import { Database } from 'bun:sqlite';
import { afterAll, afterEach, describe, expect, spyOn, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { parseStrictJson } from '../../src/http/body/strict-json.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';
import { ENVIRONMENT_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { columnsOf } from '../../src/storage/sqlite/pet-columns.ts';
import { environmentWrites } from '../../src/storage/sqlite/pet-writes.ts';
import { ManualClock, TestService, temporaryFolder } from '../support/harness.ts';

/*
 * Counts the work of a request: statements, rows and plans. Unlike time it is the same on every machine,
 * so that exactly an accidental query or a missing index fails here.
 */

const asked = spyOn(Database.prototype, 'query');
afterEach(() => asked.mockClear());
afterAll(() => asked.mockRestore());

/** The statements on the files of pets and accounts that this thread runs during the work. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  asked.mockClear();
  await work();
  const statements = asked.mock.calls.map(([sql]) => String(sql).replaceAll(/\s+/g, ' '));
  // Checks for changes by other processes and of the write-ahead log depend on the clock, not on requests,
  // and one snapshot serves all look-ups of a turn of the event loop.
  return statements.filter((sql) => !/FROM revision|^PRAGMA|^BEGIN$|^COMMIT$/.test(sql));
}

/** A service with this many pets, every third of them sold, and a key that was used before. */
async function stocked(count: number): Promise<{ service: TestService; secret: string }> {
  // With this clock no background job runs.
  const service = await TestService.start({ clock: new ManualClock() });
  const statuses = ['available', 'pending', 'sold'] as const;
  const pets = Array.from({ length: count }, (_, index) => ({
    name: `Animal ${index}`,
    categoryId: BigInt(index),
    status: statuses[index % 3] ?? 'sold',
  }));
  await service.stores.environment('production').pets.import(pets);
  const { secret } = await service.account();
  await service.request('/pets/1', { key: secret });
  return { service, secret };
}

async function expectStatements(path: string, expected: number, count = 200): Promise<void> {
  const { service, secret } = await stocked(count);
  await using _ = service;
  const statements = await statementsOf(() => service.request(path, { key: secret }));
  expect(statements).toHaveLength(expected);
}

describe('a request runs', () => {
  test('one statement to list a page that was never asked for', () =>
    expectStatements('/pets?limit=20', 1));

  test('one statement to list a page that may still grow, each time', () =>
    expectStatements('/pets?limit=100&after=150', 1));

  test('one statement to list by status', () => expectStatements('/pets?status=sold', 1));

  test('one statement to get an animal', () => expectStatements('/pets/7', 1));

  test('none for a path that is not served', () => expectStatements('/nothing', 0));

  test('none for a bad parameter', () => expectStatements('/pets?limit=0', 0));

  test('none to list a settled page again, whoever asks and however the query is written', async () => {
    const { service, secret } = await stocked(200);
    await using _ = service;
    const other = await service.account();
    await service.request('/pets', { key: other.secret });
    const statements = await statementsOf(async () => {
      await service.request('/pets', { key: secret });
      await service.request('/pets?limit=20', { key: secret });
      await service.request('/pets?after=0&limit=20&other=1', { key: other.secret });
    });
    expect(statements).toEqual([]);
  });

  test('one to learn whose key it is, and one what its account has used, once', async () => {
    const { service } = await stocked(1);
    await using _ = service;
    const { secret } = await service.account();
    const statements = await statementsOf(() => service.request('/nothing', { key: secret }));
    expect(statements).toHaveLength(2);
    expect(await statementsOf(() => service.request('/nothing', { key: secret }))).toEqual([]);
  });

  test('none to refuse a key that cannot be one, and none past a limit', async () => {
    const { service } = await stocked(1);
    await using _ = service;
    const poor = await service.account(subscribe('enterprise', { perMinute: 1, perDay: 1 }));
    await service.request('/pets/1', { key: poor.secret });
    await service.request('/pets/1');
    const statements = await statementsOf(async () => {
      expect((await service.request('/pets/1', { key: 'pst_live_typo' })).status).toBe(401);
      expect((await service.request('/pets/1')).status).toBe(401);
      expect((await service.request('/pets/1', { key: poor.secret })).status).toBe(429);
    });
    expect(statements).toEqual([]);
  });

  test('none in this thread to create an animal: the writer thread does', async () => {
    const { service, secret } = await stocked(1);
    await using _ = service;
    const create = () => service.post(secret, { name: 'Biscuit', categoryId: 1 });
    expect(await statementsOf(create)).toEqual([]);
  });
});

describe('every statement of a request', () => {
  const paths = ['/pets', '/pets?after=100', '/pets?status=sold&after=50', '/pets/7'];

  test('finds its rows by an index or the row id, and sorts nothing', async () => {
    const { service } = await stocked(200);
    await using _ = service;
    const { secret } = await service.account();
    const statements = await statementsOf(() =>
      Promise.all(paths.map((path) => service.request(path, { key: secret }))),
    );
    expect(statements.length).toBeGreaterThanOrEqual(5);
    for (const sql of new Set(statements)) {
      const steps = planOf(service, sql);
      expect([sql, steps.filter((step) => !/^SEARCH .* USING /.test(step))]).toEqual([sql, []]);
    }
  });

  test('finds a page by status through an index on the status, not among all animals', async () => {
    const { service, secret } = await stocked(200);
    await using _ = service;
    for (const path of ['/pets?status=sold', '/pets?status=sold&after=50']) {
      const [sql = ''] = await statementsOf(() => service.request(path, { key: secret }));
      expect(planOf(service, sql)).toEqual([
        expect.stringMatching(/^SEARCH pets USING (?:COVERING )?INDEX \w+ \(status=\?/),
      ]);
    }
  });

  test('reads no more rows than the page has, and one that tells whether it is the last', async () => {
    const { service, secret } = await stocked(200);
    await using _ = service;
    const pets = service.stores.environment('production').pets;
    for (const limit of [1, 20, 100]) {
      const page = await pets.list({ limit, after: 3 });
      expect([page.pets.length, page.more]).toEqual([limit, true]);
      const reply = await service.request(`/pets?limit=${limit}&after=3`, { key: secret });
      expect(parseStrictJson(await reply.bytes())).toHaveLength(limit);
    }
    const limits = asked.mock.calls.map(([sql]) => String(sql)).filter((sql) => /LIMIT/.test(sql));
    expect(limits.every((sql) => /LIMIT \?$/.test(sql))).toBe(true);
  });
});

describe('a creation in the writer thread runs', () => {
  const pet = { name: 'Biscuit', categoryId: 1, status: 'sold' } as const;
  const request = { accountId: 'a', key: 'k', fingerprint: 'f' };

  test('one statement, three with an Idempotency-Key, one to replay; none scans', () => {
    using folder = temporaryFolder();
    const database = openDatabase(`${folder.path}/pets.db`, ENVIRONMENT_SCHEMA);
    const statements = (work: () => unknown) => {
      asked.mockClear();
      work();
      return asked.mock.calls.map(([sql]) => String(sql));
    };
    const create = () =>
      statements(() => environmentWrites.createPet(database, { pet, now: 1e12, request }));
    const added = statements(() => environmentWrites.addPet(database, columnsOf(pet)));
    expect(added).toHaveLength(1);
    const first = create();
    const again = create();
    expect([first.length, again.length]).toEqual([3, 1]);
    for (const sql of first) {
      const others = planSteps(database, sql).filter((step) => !/^SEARCH .* USING /.test(step));
      // The highest id, which a search for the last row finds.
      const highest = ['SCALAR SUBQUERY 2', 'SCALAR SUBQUERY 1', 'SEARCH pets'];
      expect(others).toEqual(sql.startsWith('INSERT INTO pets') ? highest : []);
    }
    database.close();
  });
});

/** SQLite's plan for a statement of a running service, step by step. */
function planOf(service: TestService, sql: string): string[] {
  const { folder } = service.stores;
  const path = /\b(?:pets|quotas)\b/.test(sql) ? folder.database('production') : folder.accounts;
  const database = new Database(path, { readonly: true });
  try {
    return planSteps(database, sql);
  } finally {
    database.close();
  }
}

function planSteps(database: Database, sql: string): string[] {
  const values = Array<number>((sql.match(/\?/g) ?? []).length).fill(1);
  const steps = database.prepare<{ detail: string }, number[]>(`EXPLAIN QUERY PLAN ${sql}`);
  return steps.all(...values).map(({ detail }) => detail);
}
