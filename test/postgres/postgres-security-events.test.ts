import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { PARTS } from '../../src/config/config.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { eventually, TestService } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';

describe.skipIf(!hasPostgres)('security events on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('that wait for a locked table hold up no sign-in, and are recorded later', async () => {
    const url = await server.createDatabase();
    const settings = {
      PETSTORE_DATABASE_URL: url,
      PETSTORE_SECRET: SECRET,
      PETSTORE_DATABASE_CONNECTIONS: '2',
    };
    await using service = await TestService.start({ settings, parts: PARTS });
    const visitors: Visitor[] = [];
    for (let count = 0; count < 3; count += 1) visitors.push(await Visitor.signUp(service));
    const signedIn = async () => {
      const entries = await service.stores.audit.list(50);
      return entries.filter(({ action }) => action === 'session.signed_in').length;
    };
    expect(await signedIn()).toBe(3);
    const blocker = new SQL({ url, max: 1 });
    try {
      await blocker.begin(async (transaction) => {
        await transaction.unsafe('LOCK TABLE audit IN EXCLUSIVE MODE');
        // More than there are connections.
        await Promise.all(visitors.map((visitor) => visitor.signIn()));
        expect(await signedIn()).toBe(3);
      });
    } finally {
      await blocker.close();
    }
    await eventually(async () => (await signedIn()) === 6);
  });
});
