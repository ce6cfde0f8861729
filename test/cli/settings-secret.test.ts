import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { SetupError } from '../../src/core/errors.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';

const SECRET = 'a secret of more than 32 characters';

describe('the secret', () => {
  test('is generated once, readable by this user alone, as is its folder', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'a', 'data');
    await command(data);
    const made = readFileSync(join(data, 'secret'), 'utf8');
    expect(made).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(join(data, 'secret')).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    await command(data);
    expect(readFileSync(join(data, 'secret'), 'utf8')).toBe(made);
  });

  test('differs from folder to folder', async () => {
    using one = temporaryFolder();
    using other = temporaryFolder();
    await Promise.all([command(one.path), command(other.path)]);
    const [first, second] = [one, other].map(({ path }) => readFileSync(join(path, 'secret')));
    expect(first).not.toEqual(second);
  });

  test('is the same for two commands that start in a new folder at the same time', async () => {
    using folder = temporaryFolder();
    const results = await Promise.all([command(folder.path), command(folder.path)]);
    expect(results.map(({ code, stderr }) => code === 0 || stderr)).toEqual([true, true]);
  });

  test('is not generated if it is set', async () => {
    using folder = temporaryFolder();
    expect((await command(folder.path, { PETSTORE_SECRET: SECRET })).code).toBe(0);
    expect(readdirSync(folder.path)).not.toContain('secret');
  });

  test('that the data was not created with is refused, by commands and by the service', async () => {
    using folder = temporaryFolder();
    await command(folder.path, { PETSTORE_SECRET: SECRET });
    const refused = {
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^petstore: The API keys were made with another secret\. Set PETSTORE_SECRET.*\n$/,
      ),
    };
    const other = { PETSTORE_SECRET: SECRET.toUpperCase(), PETSTORE_PORT: '0' };
    expect(await command(folder.path, other)).toEqual(refused);
    expect(await command(folder.path, other, ['serve'])).toEqual(refused);
    expect((await command(folder.path, { PETSTORE_SECRET: SECRET })).code).toBe(0);
  });

  test('that was lost is not silently replaced by a new one', async () => {
    using folder = temporaryFolder();
    await command(folder.path);
    const kept = readFileSync(join(folder.path, 'secret'));
    rmSync(join(folder.path, 'secret'));
    expect((await command(folder.path)).code).toBe(2);
    writeFileSync(join(folder.path, 'secret'), kept);
    expect((await command(folder.path)).code).toBe(0);
  });
});

describe('previous secrets', () => {
  const [one = '', two = '', ...more] = Array.from(
    { length: 6 },
    (_, index) => `secret number ${index} of a service that is long enough`,
  );
  const read = (list: string, current?: string) =>
    readConfig({
      PETSTORE_PREVIOUS_SECRETS: list,
      ...(current !== undefined && { PETSTORE_SECRET: current }),
    }).previousSecrets.map(String);

  test('are a list, of which white space and empty places do not count', () => {
    expect(read('')).toEqual([]);
    expect(read(one)).toEqual([one]);
    expect(read(` ${one} ,, ${two},`)).toEqual([one, two]);
  });

  test('count once, and not at all when they are the current one', () => {
    expect(read(`${one},${two},${one}`)).toEqual([one, two]);
    expect(read(`${one},${two}`, ` ${two} `)).toEqual([one]);
    expect(read([one, two, ...more].join(','), one)).toHaveLength(5);
  });

  test('may contain commas', () => {
    expect(read(String.raw`a\,${one}\,b,${two}`)).toEqual([`a,${one},b`, two]);
  });

  test('that are too many or too short are refused, and not shown', () => {
    expect(() => read([one, two, ...more].join(','))).toThrow(
      'PETSTORE_PREVIOUS_SECRETS must name at most 5 secrets.',
    );
    const problem = 'PETSTORE_PREVIOUS_SECRETS: secret 2 must have at least 32 characters.';
    expect(() => read(`${one},short-canary`)).toThrow(new SetupError(problem));
    expect(() => read(`${one},${'x'.repeat(31)}`)).toThrow(new SetupError(problem));
    expect(read(`${one},${'x'.repeat(32)}`)).toHaveLength(2);
  });
});

function command(folder: string, settings = {}, args = ['accounts', 'list']) {
  return runCommand(args, { ...settings, PETSTORE_DATA_DIR: folder });
}
