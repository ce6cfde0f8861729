import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';

const MOMENT = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const ACCOUNT = {
  id: expect.stringMatching(/^acct_\w+$/),
  email: 'a@example.com',
  plan: 'free',
  role: 'customer',
  perMinute: 60,
  perDay: 1000,
  createdAt: MOMENT,
  suspended: null,
};

const KEY = {
  id: expect.stringMatching(/^key_\w+$/),
  environment: 'production',
  name: 'command line',
  prefix: 'pst_live_',
  lastFour: expect.stringMatching(/^\w{4}$/),
  state: 'active',
  createdAt: MOMENT,
  expiresAt: null,
  lastUsedAt: null,
  simulate: null,
};

const NEW_KEY = { key: expect.stringMatching(/^pst_live_\w{36}$/), ...KEY };

test('accounts commands print accounts', async () => {
  using folder = temporaryFolder();
  expect(await json(folder.path, 'accounts list')).toEqual([]);
  expect(await json(folder.path, 'accounts create a@example.com')).toStrictEqual(ACCOUNT);
  const changed = { ...ACCOUNT, plan: 'enterprise', perMinute: 7, perDay: 70 };
  expect(
    await json(
      folder.path,
      'accounts set-plan a@example.com enterprise --per-minute 7 --per-day 70',
    ),
  ).toStrictEqual(changed);
  expect(await json(folder.path, 'accounts list')).toStrictEqual([changed]);
});

test('keys commands print keys; only the command that creates one prints its text', async () => {
  using folder = temporaryFolder();
  await json(folder.path, 'accounts create a@example.com');
  expect(await json(folder.path, 'keys list a@example.com')).toEqual([]);
  expect(await json(folder.path, 'keys create a@example.com')).toStrictEqual(NEW_KEY);
  const [made] = await list(folder.path, 'keys list a@example.com');
  expect(made).toStrictEqual(KEY);
  expect(await json(folder.path, `keys rotate ${made?.id}`)).toStrictEqual(NEW_KEY);
  const [old, successor] = await list(folder.path, 'keys list a@example.com');
  expect(old).toStrictEqual({ ...KEY, expiresAt: MOMENT });
  expect(successor).toStrictEqual(KEY);
  expect(await json(folder.path, `keys revoke ${successor?.id}`)).toStrictEqual({
    ...KEY,
    state: 'revoked',
  });
});

test('seed prints its result, bans list the bans', async () => {
  using folder = temporaryFolder();
  expect(await json(folder.path, 'seed --pets 3 --environment staging')).toStrictEqual({
    environment: 'staging',
    pets: 3,
  });
  expect(await json(folder.path, 'bans list')).toStrictEqual([]);
});

test('backup and restore print what they wrote', async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const file = join(folder.path, 'backup.tar.gz');
  await json(data, 'keys create a@example.com');
  const digests = (names: string[]) =>
    expect.arrayContaining(
      names.map((name) => ({ name, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })),
    );
  expect(await json(data, `backup ${file}`)).toMatchObject({
    file,
    createdAt: MOMENT,
    files: digests(['accounts.db', 'secret']),
  });
  const other = join(folder.path, 'other');
  expect(await json(other, `restore ${file}`)).toEqual({ folder: other, createdAt: MOMENT });
  expect(await json(data, `restore ${file} --replace`)).toMatchObject({
    folder: data,
    movedTo: expect.stringContaining(folder.path),
  });
});

test('openapi prints the document with and without --json', async () => {
  const documents = await Promise.all([
    json('/dev/null/unused', 'openapi'),
    runCommand(['openapi'], {}).then(({ stdout }): unknown => JSON.parse(stdout)),
  ]);
  expect(documents[0]).toEqual(documents[1]);
  expect(documents[0]).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
});

test('errors go to stderr, and stdout stays empty', async () => {
  using folder = temporaryFolder();
  const settings = { PETSTORE_DATA_DIR: folder.path };
  expect(await runCommand(['keys', 'list', 'a@example.com', '--json'], settings)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^petstore: No account .*\n$/),
  });
});

/** The JSON value on the single line that the command prints with --json. */
async function json(folder: string, args: string): Promise<unknown> {
  const settings = { PETSTORE_DATA_DIR: folder };
  const { code, stdout, stderr } = await runCommand([...args.split(' '), '--json'], settings);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function list(
  folder: string,
  args: string,
): Promise<Array<Record<string, unknown> & { id: unknown }>> {
  const rows = await json(folder, args);
  if (!Array.isArray(rows)) throw new Error('not a list');
  return rows;
}
