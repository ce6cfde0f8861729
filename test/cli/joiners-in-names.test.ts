import { describe, expect, test } from 'bun:test';
import { parseReason } from '../../src/core/accounts/suspensions.ts';
import { escapeUnprintable, hasUnprintable } from '../../src/lib/unprintable.ts';
import { parseFixture } from '../../src/throwaway/fixture.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';

const SPELLED = [
  ['a Persian word with a non-joiner', 'می\u200cخواهم'],
  ['a non-joiner between letters with marks', 'بَ\u200cبِ'],
  ['a non-joiner after a virama', 'क्\u200cष'],
  ['a joiner after a virama', 'क्\u200dष'],
  ['Sinhala with a joiner', 'ශ්\u200dරී'],
  ['a family', '👩\u200d👩\u200d👧'],
  ['an emoji with a skin tone and an occupation', 'Ada 👩🏽\u200d💻'],
  ['a rainbow flag', '🏳\ufe0f\u200d🌈 shop'],
  ['the flag of England', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
] as const;

const HIDDEN = [
  ['a joiner between Latin letters', 'a\u200db'],
  ['a non-joiner between Latin letters', 'a\u200cb'],
  ['a non-joiner after a letter that joins no next one', 'د\u200cب'],
  ['a non-joiner before no letter', 'ب\u200c'],
  ['a non-joiner before a Latin letter', 'ب\u200ca'],
  ['a joiner between Arabic letters', 'ب\u200dب'],
  ['two joiners after a virama', 'क्\u200d\u200dष'],
  ['a joiner alone', '\u200d'],
  ['emoji that make no recommended sequence', '🐕\u200d🍕'],
  ['a joiner after an emoji', '🐕\u200d'],
  ['tags of no flag', '🏴\u{e0061}\u{e007f}'],
  ['tags after a letter', 'a\u{e0067}'],
] as const;

function fixtureWithKeyName(name: string) {
  const accounts = [{ email: 'a@example.com', keys: [{ name }] }];
  return () => parseFixture(Buffer.from(JSON.stringify({ accounts })), 'FILE');
}

describe('the name of a key', () => {
  test.each(SPELLED)('may have %s', (_, name) => {
    expect(hasUnprintable(name)).toBe(false);
    expect(escapeUnprintable(name)).toBe(name);
    expect(fixtureWithKeyName(name)).not.toThrow();
  });

  test.each(HIDDEN)('may not have %s', (_, name) => {
    expect(hasUnprintable(name)).toBe(true);
    expect(escapeUnprintable(name)).toContain('\\u{');
    expect(fixtureWithKeyName(name)).toThrow('/accounts/0/keys/0/name must be printable text.');
  });

  test('follows the same rule in pages', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    for (const [, name] of SPELLED) {
      const { key } = await createKey(visitor, { name });
      expect(key.name).toBe(name);
      const renamed = await visitor.put(`/api/keys/${key.id}`, { name: `${name} 2` });
      expect(renamed.ok).toBeTrue();
    }
    for (const [, name] of HIDDEN) {
      const reply = await visitor.post('/api/keys', { name, environment: 'production' });
      expect([name, reply.status]).toEqual([name, 400]);
      expect((await reply.json()).message).toStartWith('"name" must be 1 to 100 characters');
    }
    const several = await visitor.post('/api/keys', { name: 'a\u200db', environment: 'test' });
    expect((await several.json()).message).toMatch(/^"name" must be .*; "environment" must be /);
  });

  test('follows the same rule in commands, which show it as it is', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const run = (...args: string[]) => runCommand(args, settings);
    const name = 'می\u200cخواهم 👩\u200d👧';
    const created = await run('keys', 'create', 'a@example.com', '--name', name);
    expect(created.code).toBe(0);
    expect((await run('keys', 'list', 'a@example.com')).stdout).toContain(` ${name} `);
    const refused = await run('keys', 'create', 'a@example.com', '--name', 'a\u200db');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('without invisible characters');
  });
});

test('the reason of a suspension follows the same rule', () => {
  expect(parseReason(' می\u200cخواهم ')).toBe('می\u200cخواهم');
  expect(parseReason('a\u200db')).toBeUndefined();
  expect(parseReason('x'.repeat(501))).toBeUndefined();
});
