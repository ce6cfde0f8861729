import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { create } from '../storage/killed-service.ts';
import { PG_BOUNCER, PgBouncer, pgBouncerVersion } from '../support/pg-bouncer.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';

const IGNORED =
  'ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout';

/** From this release on, PgBouncer passes prepared statements on in transaction mode. */
const PASSES_STATEMENTS_ON = Bun.semver.satisfies(pgBouncerVersion(), '>=1.21.0');

const [WITHOUT_STATEMENTS, WITH_STATEMENTS] = PASSES_STATEMENTS_ON
  ? [['max_prepared_statements = 0'], ['max_prepared_statements = 200']]
  : [[], []];

if (PG_BOUNCER === null) console.warn('Tests of a pooler are skipped: install pgbouncer.');

describe.skipIf(!hasPostgres || PG_BOUNCER === null)('behind PgBouncer', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A database, and the settings of a service that reaches it through the pooler. */
  async function through(pooler: PgBouncer, statementLimit = '0', idleLimit = '0') {
    const url = await server.createMigrated();
    // Like ALTER ROLE in the documentation, but for this database alone.
    const set = `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET`;
    await server.run(`${set} statement_timeout = '${statementLimit}'`);
    await server.run(`${set} idle_in_transaction_session_timeout = '${idleLimit}'`);
    const settings = { PETSTORE_DATABASE_URL: pooler.url(url), PETSTORE_SECRET: SECRET };
    return { url, settings };
  }

  test('that refuses the settings of a connection, the start names the pooler and the setting', async () => {
    await using pooler = await PgBouncer.start(server, []);
    const { settings } = await through(pooler);
    const { code, stderr } = await runCommand(['keys', 'create', 'a@example.com'], settings);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/The pooler at 127\.0\.0\.1:\d+/)]);
    expect(stderr).toContain('set ignore_startup_parameters = statement_timeout, idle_in');
  });

  test.each([
    ['both time limits', '0', '0'],
    ['the time limit of statements', '0', '10s'],
    ['the time limit of idle transactions', '5s', '0'],
  ])('that drops %s, the start names the pooler and what to run', async (_, statements, idle) => {
    await using pooler = await PgBouncer.start(server, [IGNORED, ...WITH_STATEMENTS]);
    const { settings } = await through(pooler, statements, idle);
    const { code, stderr } = await runCommand(['keys', 'create', 'a@example.com'], settings);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/The pooler at 127\.0\.0\.1:\d+/)]);
    expect(stderr).toContain('ALTER ROLE "petstore" SET statement_timeout = \'5000ms\'');
    expect(stderr).toContain("SET idle_in_transaction_session_timeout = '10000ms'");
  });

  test('that lends a connection for a single statement, the start names the pooler and the mode', async () => {
    const lines = [IGNORED, ...WITH_STATEMENTS];
    await using pooler = await PgBouncer.start(server, lines, 'statement');
    const { settings } = await through(pooler, '5s', '10s');
    const { code, stderr } = await runCommand(['keys', 'create', 'a@example.com'], settings);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/The pooler at 127\.0\.0\.1:\d+/)]);
    expect(stderr).toContain('set pool_mode = transaction');
  });

  test('that mixes up prepared statements, the start names the pooler and the release it needs', async () => {
    await using pooler = await PgBouncer.start(server, [IGNORED, ...WITHOUT_STATEMENTS]);
    const { settings } = await through(pooler, '5s', '10s');
    const { code, stderr } = await runCommand(['keys', 'create', 'a@example.com'], settings);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/The pooler at 127\.0\.0\.1:\d+/)]);
    expect(stderr).toContain('Use PgBouncer 1.21 or later with max_prepared_statements = 200');
  });

  // Not skipped but absent with an older release, which the tests above cover.
  if (PASSES_STATEMENTS_ON) {
    test('as documented, a service works, and a locked table delays creations no longer than the limit', async () => {
      await using pooler = await PgBouncer.start(server, [IGNORED, ...WITH_STATEMENTS]);
      const { url, settings } = await through(pooler, '1s', '10s');
      const { stdout } = await runCommand(['keys', 'create', 'a@example.com'], settings);
      const key = stdout.trim();
      await using service = await ServiceProcess.start(settings, ['--only', 'production']);
      expect(await create(service, key, 20)).toHaveLength(20);

      await using direct = new SQL({ url, max: 1 });
      const reply = await direct.begin(async (transaction) => {
        await transaction.unsafe('LOCK TABLE pets');
        return fetch(`${service.url()}/pets`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
        });
      });
      expect(reply.status).toBe(503);
      expect(await create(service, key, 1)).toHaveLength(1);
    });
  }
});
