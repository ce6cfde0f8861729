import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  addPasskey,
  enterPassword,
  giveRecoveryCode,
  signInByPasskey,
  startWithSignIn,
  withApp,
} from '../sign-in/second-factor-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { type TestService, temporaryFolder } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand } from '../support/process.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';

const WITH_SECRET = { PETSTORE_SECRET: SECRET };

/** A visitor with an authenticator app and a passkey, in a folder whose service has stopped. */
async function factorsIn(folder: string) {
  await using service = await startWithSignIn({ folder, settings: WITH_SECRET });
  const { visitor, recoveryCodes } = await withApp(service);
  const authenticator = new SoftwareAuthenticator(new URL(service.dashboardUrl).origin);
  expect((await addPasskey(visitor, authenticator)).status).toBe(200);
  return { visitor, recoveryCodes, authenticator };
}

/** Checks that the second factors complete a sign-in, and that the password alone does not. */
async function expectAsBefore(
  service: TestService,
  { visitor, recoveryCodes, authenticator }: Awaited<ReturnType<typeof factorsIn>>,
): Promise<void> {
  authenticator.origin = new URL(service.dashboardUrl).origin;
  const { visitor: again, entered } = await enterPassword(service, visitor);
  expect(entered).toEqual({ user: null, secondFactors: ['totp', 'passkey', 'recovery_code'] });
  expect((await giveRecoveryCode(again, recoveryCodes[2])).status).toBe(200);
  expect((await signInByPasskey(new Visitor(service), authenticator)).status).toBe(200);
}

test('a backup holds second factors, and a restore brings them back', async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const factors = await factorsIn(data);
  const file = join(folder.path, 'copy.backup');
  const settings = { ...WITH_SECRET, PETSTORE_DATA_DIR: data };
  expect(await runCommand(['backup', file], settings)).toMatchObject({ code: 0 });
  const restored = join(folder.path, 'restored');
  const elsewhere = { ...settings, PETSTORE_DATA_DIR: restored };
  expect(await runCommand(['restore', file], elsewhere)).toMatchObject({ code: 0 });
  await using service = await startWithSignIn({ folder: restored, settings: WITH_SECRET });
  await expectAsBefore(service, factors);
});

describe.skipIf(!hasPostgres)('migrate-store', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('carries second factors over', async () => {
    using folder = temporaryFolder();
    const factors = await factorsIn(folder.path);
    const database = { ...WITH_SECRET, PETSTORE_DATABASE_URL: await server.createDatabase() };
    const settings = { ...database, PETSTORE_DATA_DIR: folder.path };
    expect(await runCommand(['migrate-store'], settings)).toMatchObject({ code: 0 });
    await using service = await startWithSignIn({ settings: database });
    await expectAsBefore(service, factors);
  });
});
