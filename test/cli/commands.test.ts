import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { temporaryFolder } from '../support/harness.ts';
import {
  type CommandResult,
  cleanEnvironment,
  PROGRAM,
  runCommand,
  SOURCE,
} from '../support/process.ts';

/** Every command with the words that its help must contain. */
const COMMANDS: ReadonlyArray<readonly [command: string, ...mentions: string[]]> = [
  ['serve', '--only', '--json', 'production,staging', 'SIGTERM'],
  ['openapi', '--json', 'OpenAPI'],
  ['seed', '--pets', '--environment', '--json', 'default: 1000'],
  [
    'accounts create',
    '[email]',
    '--count',
    '--plan',
    '--per-minute',
    '--per-day',
    '--json',
    '"enterprise"',
  ],
  ['accounts list', '--json'],
  ['accounts set-plan', '<email> <plan>', '--per-minute', '--per-day', '--json', '"business"'],
  ['keys create', '<email>', '--environment', '--name', '--expires-in', '--json', '30d'],
  ['keys list', '<email>', '--json'],
  ['keys rotate', '<id>', '--overlap', '--json', '"72h"', 'keys list'],
  ['keys revoke', '<id>', '--json', 'keys list'],
  ['bans list', '--json'],
  ['bans lift', '<id>', '--json', 'bans list'],
  ['backup', '<file>', '--json', 'secret', 'verify'],
  ['backup verify', '<file>', '--json', 'changes nothing'],
  ['restore', '<file>', '--replace', '--json', 'stopped'],
];

const GROUPS: ReadonlyArray<readonly [group: string, commands: string[]]> = [
  ['', ['serve', 'openapi', 'seed', 'accounts', 'keys', 'bans', 'backup', 'restore']],
  ['accounts', ['create', 'list', 'set-plan']],
  ['keys', ['create', 'list', 'rotate', 'revoke']],
  ['bans', ['list', 'lift']],
];

describe('help', () => {
  test.each(COMMANDS)('petstore %s --help says what to do', async (command, ...mentions) => {
    const { code, stdout, stderr } = await run(`${command} --help`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toStartWith(`Usage: petstore ${command} `);
    expect(stdout.split('\n')[2]).toMatch(/^[A-Z].{10,}/);
    for (const each of mentions) expect(stdout).toContain(each);
  });

  test.each(GROUPS)('petstore %s --help lists its commands', async (group, commands) => {
    const { code, stdout, stderr } = await run(`${group} --help`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const each of commands) expect(stdout).toMatch(new RegExp(`^  ${each} .*[A-Z].+`, 'm'));
  });

  test.each(GROUPS)('petstore %s alone shows its help as an error', async (group) => {
    const [alone, helped] = await Promise.all([run(group), run(`${group} --help`)]);
    expect(alone).toEqual({ code: 2, stdout: '', stderr: helped.stdout });
  });

  test('petstore help COMMAND is the same as COMMAND --help', async () => {
    expect(await run('help seed')).toEqual(await run('seed --help'));
  });

  test('petstore --help shows the first steps', async () => {
    const { stdout } = await runCommand(['--help'], {}, SOURCE);
    expect(stdout).toContain('npm run -s petstore -- keys create you@example.com');
  });

  test('petstore --version prints the version', async () => {
    expect(await run('--version')).toEqual({
      code: 0,
      stdout: `${packageJson.version}\n`,
      stderr: '',
    });
  });
});

describe('wrong usage ends with exit code 2 and changes nothing:', () => {
  const WRONG: ReadonlyArray<readonly [args: string, problem: RegExp]> = [
    ['frob', /unknown command 'frob'/],
    ['keyz', /Did you mean keys\?/],
    ['keys frob', /unknown command 'frob'/],
    ['--frob', /unknown option '--frob'/],
    ['accounts list --frob', /unknown option '--frob'/],
    ['accounts list extra', /too many arguments/],
    ['serve extra', /too many arguments/],
    ['keys create', /missing required argument 'email'/],
    ['keys list', /missing required argument 'email'/],
    ['keys revoke', /missing required argument 'id'/],
    ['keys rotate', /missing required argument 'id'/],
    ['bans lift', /missing required argument 'id'/],
    ['backup', /either a new file, or a folder/],
    ['restore', /missing required argument 'file'/],
    ['accounts set-plan a@example.com', /missing required argument 'plan'/],
    ['accounts create nobody', /such as you@example\.com/],
    ['keys create a@b@c', /such as you@example\.com/],
    ['accounts create a@example.com --plan gold', /free, pro, business, enterprise/],
    ['accounts set-plan a@example.com Free', /free, pro, business, enterprise/],
    ['accounts create a@example.com --plan pro --per-minute 5', /fixed limits.*--per-minute/],
    ['accounts set-plan a@example.com free --per-day 5', /fixed limits.*--per-day/],
    ['accounts create a@example.com --per-minute 5', /fixed limits/],
    ['accounts create a@example.com --plan enterprise', /per minute and per day.*--per-minute/],
    ['accounts set-plan a@example.com enterprise --per-day 5', /per minute and per day/],
    ['accounts create a@example.com --plan enterprise --per-minute 0 --per-day 5', /at least 1/],
    ['accounts create a@example.com --plan enterprise --per-minute 5 --per-day 1.5', /at least 1/],
    ['keys create a@example.com --environment prod', /production, staging/],
    ['keys create a@example.com --expires-in 3y', /12h or 30d/],
    ['keys create a@example.com --expires-in 0d', /12h or 30d/],
    ['keys create a@example.com --expires-in', /argument missing/],
    ['keys rotate key_1 --overlap 5h', /0, 1h, 24h, 72h/],
    ['seed --pets 0', /at least 1/],
    ['seed --pets -5', /at least 1/],
    ['seed --pets 12x', /at least 1/],
    ['seed --environment test', /production, staging/],
    ['serve --only nothing', /production,staging/],
    ['serve --only production,', /production,staging/],
  ];

  test.each(WRONG)('petstore %s', async (args, problem) => {
    using folder = temporaryFolder();
    const result = await run(args, folder.path);
    expectFailure(result, 2, problem);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test.each([
    ['an empty one', ''],
    ['a blank one', '  '],
    ['one over 100 characters', 'x'.repeat(101)],
    ['one with a line break', 'a\nb'],
    ['one that would steer a terminal', 'a\u001b[2Jb'],
    ['one with a direction mark', 'a\u202eb'],
    ['one with a zero-width character', 'a\u200bb'],
  ])('a name for a key: %s', async (_, name) => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const result = await runCommand(['keys', 'create', 'a@example.com', '--name', name], settings);
    expectFailure(result, 2, /1 to 100 characters/);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test.each([
    ['audit list', '--account <email>'],
    ['serve', '--ready-file <file>'],
    ['requests list a@example.com', '--code <code>'],
  ])('petstore %s with an empty %s, such as a variable that is not set', async (args, option) => {
    using folder = temporaryFolder();
    const [flag = ''] = option.split(' ');
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const result = await runCommand([...args.split(' '), flag, ''], settings);
    expectFailure(result, 2, new RegExp(`option '${option}' must not be empty`));
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe('a refused command ends with exit code 1 and says what to do:', () => {
  test.each([
    ['keys list nobody@example.com', /No account has the address nobody@example\.com.*Run: /],
    ['accounts set-plan nobody@example.com pro', /No account has the address.*accounts list/],
    ['keys revoke key_1', /No key has the id key_1\..*keys list/],
    ['keys rotate key_1', /No key has the id key_1\..*keys list/],
    ['bans lift ban_1', /No ban in force has the id ban_1\..*bans list/],
    ['bans lift ban_1 --json', /No ban in force has the id ban_1\..*bans list/],
    ['backup FOLDER/new.backup', /holds no data yet/],
    ['restore FOLDER/missing.backup', /There is no file .*missing\.backup/],
  ])('petstore %s', async (args, problem) => {
    using folder = temporaryFolder();
    const result = await run(args.replace('FOLDER', folder.path), join(folder.path, 'data'));
    expectFailure(result, 1, problem);
    expect(result.stderr.split('\n')).toHaveLength(2);
  });

  test('an address that has an account', async () => {
    using folder = temporaryFolder();
    await run('accounts create a@example.com', folder.path);
    const again = await run('accounts create A@Example.com', folder.path);
    expectFailure(again, 1, /A@Example\.com has an account already/);
  });

  test('revoking or rotating a revoked key', async () => {
    using folder = temporaryFolder();
    const { stdout } = await run('keys create a@example.com --json', folder.path);
    const id = String(JSON.parse(stdout).id);
    expect((await run(`keys revoke ${id}`, folder.path)).code).toBe(0);
    expectFailure(await run(`keys revoke ${id}`, folder.path), 1, /was revoked before/);
    expectFailure(await run(`keys rotate ${id}`, folder.path), 1, /is revoked\. Create a new one/);
  });

  test('an unexpected failure, in one line', async () => {
    using folder = temporaryFolder();
    await run('accounts list', folder.path);
    const result = await run(`backup ${folder.path}/missing/x.backup`, folder.path);
    expectFailure(result, 1, /missing/);
    expect(result.stderr.split('\n')).toHaveLength(2);
  });
});

describe('a command whose output is not read to the end', () => {
  test('ends without an error', async () => {
    const shell = '{ "$@"; echo "exit code $?" >&2; } | true';
    const child = Bun.spawn(['sh', '-c', shell, 'sh', ...PROGRAM, 'openapi'], {
      env: cleanEnvironment({}),
      stderr: 'pipe',
    });
    expect(await new Response(child.stderr).text()).toBe('exit code 0\n');
  });

  test.if(existsSync('/dev/full'))('fails in one line when it cannot be written', async () => {
    const child = Bun.spawn([...PROGRAM, 'openapi'], {
      env: cleanEnvironment({}),
      stdout: Bun.file('/dev/full'),
      stderr: 'pipe',
    });
    expect(await new Response(child.stderr).text()).toMatch(
      /^petstore: Cannot write the output: ENOSPC.*\n$/,
    );
    expect(await child.exited).toBe(1);
  });
});

function run(args: string, folder = '/dev/null/unused'): Promise<CommandResult> {
  return runCommand(args.split(' ').filter(Boolean), { PETSTORE_DATA_DIR: folder });
}

function expectFailure({ code, stdout, stderr }: CommandResult, expected: 1 | 2, problem: RegExp) {
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
  expect(stderr).toMatch(/^petstore: /);
  expect(stderr).toMatch(problem);
  expect(stderr).not.toMatch(/^\s+at |\.ts:\d|Bun v/m);
}
