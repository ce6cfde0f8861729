import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import {
  type CommandResult,
  cleanEnvironment,
  runCommand,
  SHOWN_PROGRAM,
} from '../support/process.ts';

const DAY = 24 * 60 * 60 * 1_000;

describe('keys create', () => {
  test('prints the key alone on stdout, and creates a Free account for an unknown address', async () => {
    using folder = temporaryFolder();
    expect(await run(folder.path, 'keys create a@example.com')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^pst_live_[0-9A-Za-z]{36}\n$/),
      stderr: 'Made a Free account for a@example.com.\n',
    });
    expect((await run(folder.path, 'accounts list')).stdout).toMatch(
      /^a@example\.com +customer +free +60 +1000 /m,
    );
  });

  test('finds a known address in any letter case, and then prints no note', async () => {
    using folder = temporaryFolder();
    await run(folder.path, 'accounts create a@example.com --plan pro');
    const { code, stderr } = await run(folder.path, 'keys create A@Example.com');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await run(folder.path, 'keys list a@example.com')).stdout).toContain('pst_live_…');
  });

  test('creates a key for staging, with a name and an expiry', async () => {
    using folder = temporaryFolder();
    const { stdout } = await run(
      folder.path,
      'keys create a@example.com --environment staging --name tests --expires-in 30d --json',
    );
    const key: MadeKey = JSON.parse(stdout);
    expect(key).toMatchObject({ environment: 'staging', name: 'tests', prefix: 'pst_staging_' });
    expect(lifetime(key)).toBe(30 * DAY);
  });

  test.each([
    ['90s', 90_000],
    ['15m', 15 * 60_000],
    ['12h', DAY / 2],
  ])('takes an expiry of %s', async (length, milliseconds) => {
    using folder = temporaryFolder();
    const { stdout } = await run(
      folder.path,
      `keys create a@example.com --expires-in ${length} --json`,
    );
    const key: MadeKey = JSON.parse(stdout);
    expect(lifetime(key)).toBe(milliseconds);
  });

  test('accepts a name of 100 characters', async () => {
    using folder = temporaryFolder();
    const name = 'x'.repeat(100);
    const { code } = await run(folder.path, `keys create a@example.com --name ${name}`);
    expect(code).toBe(0);
  });

  test('works through npm, as the README says', async () => {
    using folder = temporaryFolder();
    const words = 'npm run -s petstore -- keys create x@example.com'.split(' ');
    const child = Bun.spawn(words, {
      cwd: join(import.meta.dir, '..', '..'),
      env: cleanEnvironment({ PETSTORE_DATA_DIR: folder.path }),
      stdout: 'pipe',
      stderr: 'ignore',
    });
    expect(await new Response(child.stdout).text()).toMatch(/^pst_live_[0-9A-Za-z]{36}\n$/);
    expect(await child.exited).toBe(0);
  });
});

describe('keys list', () => {
  test('shows the last four characters of a key, and never the whole key', async () => {
    using folder = temporaryFolder();
    const key = (await run(folder.path, 'keys create a@example.com')).stdout.trim();
    const { stdout } = await run(folder.path, 'keys list a@example.com');
    expect(stdout).toContain(`pst_live_…${key.slice(-4)}`);
    expect(stdout).not.toContain(key.slice(9, -4));
  });

  test('names the command that creates the first key', async () => {
    using folder = temporaryFolder();
    await run(folder.path, 'accounts create a@example.com');
    expect((await run(folder.path, 'keys list a@example.com')).stdout).toBe(
      `No keys yet. Run: ${SHOWN_PROGRAM} keys create a@example.com\n`,
    );
  });

  test('aligns its columns when a name has wide characters', async () => {
    using folder = temporaryFolder();
    await run(folder.path, 'keys create a@example.com --name 小雪');
    await run(folder.path, 'keys create a@example.com --name plain');
    const lines = (await run(folder.path, 'keys list a@example.com')).stdout.split('\n');
    const columns = lines
      .filter((line) => line.startsWith('pst_'))
      .map((line) => Bun.stringWidth(line.slice(0, line.indexOf('active'))));
    expect(columns).toHaveLength(2);
    expect(new Set(columns).size).toBe(1);
  });
});

describe('keys create --simulate', () => {
  test('makes a staging key that simulates, and shows it in the list', async () => {
    using folder = temporaryFolder();
    const create = 'keys create a@example.com --environment staging';
    const made = await run(folder.path, `${create} --simulate unavailable;times=2`);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('a@example.com') });
    expect((await keys(folder.path))[0]).toMatchObject({ simulate: 'unavailable;times=2' });
    expect((await run(folder.path, 'keys list a@example.com')).stdout).toContain(
      'unavailable;times=2',
    );
  });

  test('refuses production and unknown simulations, and makes no account for them', async () => {
    using folder = temporaryFolder();
    const production = await run(folder.path, 'keys create a@example.com --simulate drop');
    expect(production.code).toBe(2);
    expect(production.stderr).toContain('Only staging keys can have a simulation');
    const create = 'keys create a@example.com --environment staging';
    const unknown = await run(folder.path, `${create} --simulate nothing`);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('This simulation is unknown. Simulations are:');
    expect((await run(folder.path, 'accounts list --json')).stdout.trim()).toBe('[]');
  });
});

describe('keys rotate', () => {
  test.each([
    ['', DAY],
    ['--overlap 0', 0],
    ['--overlap 1h', DAY / 24],
    ['--overlap 72h', 3 * DAY],
  ])('prints the successor alone; the old key works on %s', async (overlap, length) => {
    using folder = temporaryFolder();
    await run(folder.path, 'keys create a@example.com --name first');
    const [old] = await keys(folder.path);
    const rotated = await run(folder.path, `keys rotate ${old?.id} ${overlap}`);
    expect(rotated).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^pst_live_[0-9A-Za-z]{36}\n$/),
      stderr: '',
    });
    const [before, after] = await keys(folder.path);
    expect(after).toMatchObject({ name: 'first', environment: 'production', expiresAt: null });
    expect(Date.parse(before?.expiresAt ?? '') - Date.parse(after?.createdAt ?? '')).toBe(length);
  });
});

describe('accounts', () => {
  test('list shows every plan with its limits', async () => {
    using folder = temporaryFolder();
    await run(folder.path, 'accounts create f@example.com');
    await run(folder.path, 'accounts create p@example.com --plan pro');
    await run(folder.path, 'accounts create b@example.com --plan business');
    const enterprise = '--plan enterprise --per-minute 5000 --per-day 1000000';
    await run(folder.path, `accounts create e@example.com ${enterprise}`);
    const { stdout } = await run(folder.path, 'accounts list');
    expect(stdout.split('\n').map((line) => line.split(/ +/).slice(0, 5))).toEqual([
      ['EMAIL', 'ROLE', 'PLAN', 'PER', 'MINUTE'],
      ['f@example.com', 'customer', 'free', '60', '1000'],
      ['p@example.com', 'customer', 'pro', '300', '10000'],
      ['b@example.com', 'customer', 'business', '1000', '100000'],
      ['e@example.com', 'customer', 'enterprise', '5000', '1000000'],
      [''],
    ]);
  });

  test('set-plan prints the new plan of the account', async () => {
    using folder = temporaryFolder();
    await run(folder.path, 'accounts create a@example.com');
    expect(await run(folder.path, 'accounts set-plan a@example.com business')).toEqual({
      code: 0,
      stdout: 'a@example.com is on plan business now.\n',
      stderr: '',
    });
  });
});

test.each([
  ['keys list KEY', 2],
  ['accounts show KEY', 2],
  ['seed --environment KEY', 2],
  ['KEY', 2],
  ['bans lift KEY', 1],
  ['keys revoke xKEY', 1],
] as const)('%s shows no key that was given by mistake', async (args, code) => {
  using folder = temporaryFolder();
  const key = `pst_live_${'aB3'.repeat(12)}`;
  const result = await run(folder.path, args.replace('KEY', key));
  expect(result).toEqual({ code, stdout: '', stderr: expect.stringContaining('[hidden]') });
  expect(result.stderr).not.toContain('aB3');
});

interface MadeKey {
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** Rounded to ten seconds: the command reads the clock once for each time. */
function lifetime({ createdAt, expiresAt }: MadeKey): number {
  return Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 10_000) * 10_000;
}

interface ListedKey {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

async function keys(folder: string): Promise<ListedKey[]> {
  return JSON.parse((await run(folder, 'keys list a@example.com --json')).stdout);
}

function run(folder: string, args: string): Promise<CommandResult> {
  return runCommand(args.split(' ').filter(Boolean), { PETSTORE_DATA_DIR: folder });
}
