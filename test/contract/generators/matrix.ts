import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATORS, type Generator } from './generators.ts';
import type { Findings } from './scenario.ts';

/** The result of a generator: what its client does, or which commands are not installed. */
export type Outcome =
  | { readonly compiles: boolean; readonly findings: Findings | undefined }
  | { readonly missing: readonly string[] };

const PAGE = join(import.meta.dir, '..', '..', '..', 'docs', 'generators.md');
const TABLE = /(?<=<!-- npm run generators -->\n\n)[\s\S]*?(?=\n\n<!-- end -->)/;
const HEAD = [
  '| Generator | Compiles | Calls | Typed errors | Exact integers | What to set |',
  '|---|---|---|---|---|---|',
];

/** The row of a generator in the table. */
export function rowOf(generator: Generator, outcome: Outcome): string {
  const { title, version, settings } = generator;
  const cells =
    'missing' in outcome
      ? [`not run: needs ${outcome.missing.join(', ')}`, '', '', '']
      : resultCells(generator, outcome.compiles, outcome.findings);
  return `| ${[`${title} ${version}`, ...cells, settings].join(' | ')} |`;
}

function resultCells(
  { errors, exactIntegers }: Generator,
  compiles: boolean,
  findings: Findings | undefined,
): string[] {
  const integers = {
    exact: 'yes',
    'exact when set': `rounded; exact from ${exactIntegers}`,
    rounded: 'rounded',
  };
  return [
    compiles ? 'yes' : 'no',
    findings?.calls ? 'yes' : 'no',
    findings?.errors ? `yes: ${errors}` : 'no',
    findings ? integers[findings.integers] : 'no',
  ];
}

/** The rows of the page, by the name of the generator. */
export function documentedRows(): ReadonlyMap<string, string> {
  const [table = ''] = TABLE.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const lines = table.split('\n');
  return new Map(
    GENERATORS.flatMap(({ name, title }) => {
      const row = lines.find((line) => line.startsWith(`| ${title} `));
      return row === undefined ? [] : [[name, row]];
    }),
  );
}

/** Replaces these rows of the page, by the name of the generator; the others do not change. */
export function writeRows(rows: ReadonlyMap<string, string>): void {
  const merged = new Map([...documentedRows(), ...rows]);
  const table = GENERATORS.flatMap(({ name }) => merged.get(name) ?? []);
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(TABLE, () => [...HEAD, ...table].join('\n')),
  );
}
