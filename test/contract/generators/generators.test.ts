import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATORS, HERE } from './generators.ts';
import { documentedRows, rowOf } from './matrix.ts';
import { findingsOf, LARGE } from './scenario.ts';

const OUTPUT = `
created: 1 Biscuit 7 available
pages: 1,2 3
filtered: 2
integer: ${LARGE}
fetched: Biscuit
changed: 1 Biscuit sold
deleted: 204
sent: queued
unauthorized: 401 invalid_api_key
missing: 404 pet_not_found
stale: 412 precondition_failed
limited: 429 rate_limited 60
`;

describe('the matrix of generators', () => {
  test.each(GENERATORS)('has the result of $name at the version that is installed', (generator) => {
    const row = documentedRows().get(generator.name) ?? 'no row';

    expect(row).toStartWith(`| ${generator.title} ${generator.version} | yes | yes | yes: `);
    expect(row).toMatch(/ \| (yes|rounded; exact from [^|]+) \| [^|]+ \|$/);
    expect(existsSync(join(HERE, 'programs', generator.name))).toBeTrue();
  });

  test('says of a generator that was not run what it needs', () => {
    const [generator] = GENERATORS;
    if (!generator) throw new Error('There is no generator.');

    expect(rowOf(generator, { missing: ['cargo', 'go'] })).toContain(
      `${generator.version} | not run: needs cargo, go |`,
    );
  });

  test('has no success for what did not compile or run', () => {
    const [generator] = GENERATORS;
    if (!generator) throw new Error('There is no generator.');

    const row = rowOf(generator, { compiles: false, findings: undefined });
    expect(row).toContain(`${generator.version} | no | no | no | no |`);
  });
});

describe('what the program of a generator prints', () => {
  test('shows calls, errors and exact integers', () => {
    expect(findingsOf(OUTPUT)).toEqual({
      calls: true,
      errors: true,
      integers: 'exact',
      problems: [],
    });
  });

  test.each([
    ['pages: 1,2 3', 'pages: 1,2', 'pages is "1,2"'],
    ['sent: queued', '', 'sent is "undefined"'],
    ['changed: 1 Biscuit sold', 'changed: 1 Biscuit available', 'changed is "1 Biscuit available"'],
    ['deleted: 204', 'deleted: 200', 'deleted is "200"'],
  ])('shows a call that went wrong: %s', (line, instead, problem) => {
    const { calls, errors, problems } = findingsOf(OUTPUT.replace(line, instead));

    expect([calls, errors]).toEqual([false, true]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  test('shows an error without its code, and a 429 without its seconds', () => {
    for (const wrong of ['limited: 429 rate_limited', 'limited: 429 undefined 60', 'stale: 412']) {
      const [fact = ''] = wrong.split(':');
      const { calls, errors } = findingsOf(OUTPUT.replace(new RegExp(`${fact}: .*`), wrong));
      expect([calls, errors]).toEqual([true, false]);
    }
  });

  test('shows whether integers are rounded, and whether that can be set', () => {
    const rounded = OUTPUT.replace(`integer: ${LARGE}`, 'integer: 9007199254740992');

    expect(findingsOf(rounded).integers).toBe('rounded');
    expect(findingsOf(`${rounded}exact integer: ${LARGE}\n`).integers).toBe('exact when set');
  });
});
