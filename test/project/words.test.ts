import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';

const ROOT = join(import.meta.dir, '..', '..');
const TEXTS = ['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/guides/*.md', 'client/README.md'];
const SOURCES = ['src/**/*.{ts,tsx,md}', 'client/src/*.ts', 'testing/src/*.ts'];

/** Where these files have this expression, as `file:line: text`. */
function places(patterns: readonly string[], expression: RegExp): string[] {
  const files = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(ROOT)]);
  expect(files.length).toBeGreaterThan(4);
  return files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        expression.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
}

test.each([
  [
    'a staging key, not a key of staging',
    /\b[Kk]eys? of (?:staging\b|production\b|\$?\{environment)/,
  ],
  ['an active key, not a live one', /\b[Ll]ive (?:API )?keys?\b/],
  ['production, not Production, within a sentence', /[a-z,;] (?:Production|Staging)\b(?!['"`])/],
])('there is one word for one thing: %s', (_, expression) => {
  expect(places([...TEXTS, ...SOURCES], expression)).toEqual([]);
});

test('a key is named with its last characters in parentheses', () => {
  const bare = /[^(}]…(?:\$\{|\{)[\w.]*(?:[lL]astFour|[eE]nding)/;
  expect(places(['src/dashboard/**/*.{ts,tsx}', 'src/cli/*.ts'], bare)).toEqual([]);
});

test('requests over a limit are counted as 429 in pages and commands', () => {
  const label = /['">]\s*(?:Limited|Refused)\b|\$\{limited\} refused/;
  expect(
    places(['src/dashboard/web/**/*.tsx', 'src/dashboard/web/**/*.ts', 'src/cli/*.ts'], label),
  ).toEqual([]);
});
