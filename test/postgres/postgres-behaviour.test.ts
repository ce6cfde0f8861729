import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

/** Test files of behaviour that does not depend on the store. */
const BEHAVIOUR = [
  ...[
    'create-pet',
    'list-pets',
    'get-pet',
    'idempotency',
    'update-pet',
    'delete-pet',
    'pet-preconditions',
  ].map((name) => `api/pets/${name}`),
  ...['api-keys', 'key-changes', 'plans'].map((name) => `keys/${name}`),
  ...['bans-on-record', 'bans-of-rotated-keys', 'counters-restart', 'saved-quotas'].map(
    (name) => `limits/${name}`,
  ),
  'http/entity-tags',
  ...['clock', 'limits'].map((name) => `api/sandbox/${name}`),
  ...['quickstart', 'delivery'].map((name) => `api/messages/${name}`),
  ...['commands-accounts', 'seed'].map((name) => `cli/${name}`),
  ...['sign-in', 'sign-in-new-account', 'sign-in-sessions', 'sign-in-passwords'].map(
    (name) => `sign-in/${name}`,
  ),
  'sign-in/session-tokens',
  'sign-in/sign-in-unicode-passwords',
  ...['security-events', 'kept-security-events'].map((name) => `sign-in/${name}`),
  ...['api', 'keys', 'messages', 'usage', 'operator', 'audit', 'orders', 'operator-orders'].map(
    (name) => `dashboard/dashboard-${name}`,
  ),
  'dashboard/dashboard-pets',
  'dashboard/dashboard-pet-changes',
  'dashboard/downloads',
  'observability/request-log',
];

function fileOf(name: string): string {
  return join(import.meta.dir, '..', `${name}.test.ts`);
}

/** Matches the report of a file with a passed test: the file's name, and the test on the next line. */
function passedIn(name: string): RegExp {
  return new RegExp(`^test/${RegExp.escape(name)}\\.test\\.ts:\n\\(pass\\)`, 'm');
}

/** Tests in these files that access the files of the embedded store, or its lock. */
const EMBEDDED_ONLY = [
  'is refused without a look-up',
  'is an HMAC-SHA-256 under a secret that lies outside of the database',
  'is nowhere its text, while the service runs or afterwards',
  'one is carried out, the other gets 409 while it is in flight',
  'of two accounts do not stand in the way of each other',
  'is made in the transaction of its animal: without it there is no animal',
  'reads no quota; each is read once, when its caller first asks',
  'have lost nothing that was written at its turn',
  'of many callers at once have lost at most their latest requests, and are exact after a stop',
  'is an error to its requests, never Free, and leaves other accounts alone',
  'cannot be put there by way of the schema',
  'is answered only once it is on disk',
  'that is still queued when the service stops is delivered after the next start',
  'waits while only other parts are served from its folder',
  'after SIGKILL in 20 rounds, every message that was accepted is in its inbox once, in order',
  'that fails midway leaves nothing behind, and can be repeated',
  'ends all others however many there are',
  'holds the latest 50: a sign-in ends older ones',
  'lets a person end any of them however many there are',
  'that is used is renewed once a day, with its cookie',
  'expires, and is deleted at the next sign-in',
  'expires after an hour',
  'holds argon2id of the password, and no token of a link',
  'that fails midway leaves an account whose holder signs in and deletes it again',
  'gets 503 while the store cannot write, and succeeds later',
];

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.makeTemplate();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  // In another process, because an environment variable names the database.
  test('all of it holds as it does with the embedded store', async () => {
    const others = `^(?!.*(?:${EMBEDDED_ONLY.map((title) => RegExp.escape(title)).join('|')})$)`;
    const command = ['test', '--timeout', '180000', '--test-name-pattern', others];
    const run = Bun.spawn([process.execPath, ...command, ...BEHAVIOUR.map(fileOf)], {
      env: { ...process.env, PETSTORE_TEST_DATABASE_URL: server.url() },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const [report, code] = await Promise.all([new Response(run.stderr).text(), run.exited]);
    expect(code, report).toBe(0);
    for (const name of BEHAVIOUR) expect(report).toMatch(passedIn(name));
  }, 1_800_000);

  test('no test is left out that is not there', () => {
    const texts = BEHAVIOUR.map((file) => readFileSync(fileOf(file), 'utf8')).join('');
    expect(EMBEDDED_ONLY.filter((name) => !texts.includes(`'${name}'`))).toEqual([]);
  });
});
