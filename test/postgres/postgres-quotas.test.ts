import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually, ManualClock, TestService } from '../support/harness.ts';
import { ask, askTimes } from '../support/limit-readings.ts';
import { killAmongManyCallers } from '../support/many-callers.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';

describe.skipIf(!hasPostgres)('counters in PostgreSQL after a crash', () => {
  test('of many callers at once have lost at most their latest requests, and are exact after a stop', async () => {
    await using server = await PostgresServer.start();
    const url = await server.createMigrated();
    const settings = { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET };
    await killAmongManyCallers(settings, async () => {
      const rows = await server.run<{ caller: string; used: bigint }>(
        "SELECT caller, day_used AS used FROM quotas WHERE environment = 'production'",
        url,
      );
      return new Map(rows.map(({ caller, used }) => [caller, Number(used)]));
    });
  });
});

describe.skipIf(!hasPostgres)(
  'a process that counts in memory while PostgreSQL is unavailable',
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    afterAll(() => server[Symbol.asyncDispose]());

    test('counts unknown callers in memory, and adds what is stored when the database is back', async () => {
      const clock = new ManualClock();
      const settings = {
        PETSTORE_DATABASE_URL: await server.createDatabase(),
        PETSTORE_SECRET: SECRET,
        PETSTORE_ANONYMOUS_PER_MINUTE: '10',
      };
      await using first = await TestService.start({ clock, settings });
      await askTimes(first, 4);
      await first.stop();

      await using second = await TestService.start({ clock, settings });
      await server.stop();
      const unavailable = await askTimes(second, 2);
      expect(unavailable.map(({ status, remaining }) => [status, remaining])).toEqual([
        [401, 9],
        [401, 8],
      ]);
      await server.start();
      await eventually(async () => {
        await second.runJobs('read production quotas');
        return (await peeked(second)) === 4;
      });
      expect((await ask(second)).remaining).toBe(3);
    });
  },
);

/** The remaining requests of this address, from a preflight, which is not counted. */
async function peeked(service: TestService): Promise<number> {
  const preflight = { Origin: 'http://localhost', 'Access-Control-Request-Method': 'GET' };
  const reply = await service.request('/pets', { method: 'OPTIONS', headers: preflight });
  return Number(reply.headers.get('X-RateLimit-Remaining'));
}
