import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { newId } from '../../src/core/ids.ts';
import { escapeUnprintable, hasUnprintable } from '../../src/lib/unprintable.ts';
import { type NewAccount, TestService } from '../support/harness.ts';
import { type CommandResult, runCommand } from '../support/process.ts';

/** Hides "b", reverses the direction of the text after it, and clears the screen. */
const NAME = 'a\u200bb\u202ecba\u001b[2J\u{e0041}';

describe('a key whose name has unprintable characters, from an earlier release', () => {
  let service: TestService;
  let owner: NewAccount;
  beforeAll(async () => {
    service = await TestService.start();
    owner = await service.account();
    const key = { ...owner.key, id: newId('key', Date.now()), name: NAME };
    await service.stores.keys.insert(key, Buffer.alloc(32, 7), { live: 100 }, Date.now(), 'test');
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const run = (...args: string[]): Promise<CommandResult> =>
    runCommand(args, { PETSTORE_DATA_DIR: service.folder.path });

  test('is listed with escapes in place of them', async () => {
    const { stdout } = await run('keys', 'list', owner.account.email);
    expect(stdout).toContain(' a\\u{200b}b\\u{202e}cba\\u{1b}[2J\\u{e0041} ');
    expect(hasUnprintable(stdout.replaceAll('\n', ''))).toBe(false);
  });

  test('is itself in JSON, which has escapes of its own', async () => {
    const { stdout } = await run('keys', 'list', owner.account.email, '--json');
    expect(hasUnprintable(stdout.trimEnd())).toBe(false);
    const keys: { name: string }[] = JSON.parse(stdout);
    expect(keys.map(({ name }) => name)).toContain(NAME);
  });

  test('so are the arguments that an error repeats', async () => {
    for (const args of [
      ['keys', 'revoke', 'key_\u202e\u001b[2J'],
      ['keys', 'create', 'x\u202e\u001b[2J'],
    ]) {
      const { code, stderr } = await run(...args);
      expect(code).not.toBe(0);
      expect(stderr).toContain('\\u{202e}\\u{1b}[2J');
      expect(hasUnprintable(stderr.replaceAll('\n', ''))).toBe(false);
    }
  });
});

describe('unprintable characters', () => {
  test.each([
    ['direction marks', '\u200e\u200f\u061c\u202a\u202e\u2066\u2069'],
    ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff\u00ad'],
    ['tags', '\u{e0001}\u{e007f}'],
    ['fillers', '\u115f\u1160\u3164\uffa0\u034f'],
    ['separators of lines', '\u2028\u2029\n\r\u0085'],
    ['control characters', '\0\u001b\u007f\u009b'],
    ['lone surrogates', '\ud83d'],
  ])('are %s', (_, text) => {
    for (const character of text) expect(hasUnprintable(character)).toBe(true);
    expect(escapeUnprintable(text)).toMatch(/^(?:\\u\{[\da-f]+\})+$/);
  });

  test.each(['Käthe’s key', '小雪', 'مفتاح', '❤️ 🐶', 'e\u0301', 'a\u00a0b'])(
    'are not in %s',
    (text) => {
      expect(escapeUnprintable(text)).toBe(text);
    },
  );
});
