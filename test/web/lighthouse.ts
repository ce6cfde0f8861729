import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATION_IDS } from '../../src/api/operations.ts';
import { PARTS } from '../../src/config/config.ts';
import { REFERENCE_PATHS } from '../../src/dashboard/reference/paths.ts';
import { chromiumPath } from '../support/browser.ts';
import { createKey, customer, operator } from '../support/dashboard-scene.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { runTool } from '../support/tools.ts';

/*
 * Measures pages with Lighthouse, which npx downloads: npm run lighthouse [-- PATH...]
 * It emulates a phone with a four times slower processor and a connection of 1.6 Mbit/s. With --write it renews the
 * table in docs/performance.md. Fails when a page has less than 90 points for performance or less than 100 for
 * accessibility. Measure on an idle machine.
 */

const LIGHTHOUSE = 'lighthouse@13.5.0';
const DOCUMENT = join(import.meta.dir, '..', '..', 'docs', 'performance.md');
const TABLE = /(<!-- lighthouse -->\n)[\s\S]*?(<!-- \/lighthouse -->)/;

const PUBLIC = ['/', '/sign-in', '/sign-up', '/forgot-password', ...REFERENCE_PATHS];
const OF_CUSTOMERS = ['/', '/keys', '/usage', '/messages', '/sandbox', '/plan', '/account'];
const OF_OPERATORS = ['/operator', '/operator/bans', '/operator/audit'];

interface Audit {
  readonly numericValue?: number;
}

interface Report {
  readonly categories: Readonly<
    Record<'performance' | 'accessibility', { readonly score: number | null }>
  >;
  readonly audits: Readonly<Record<'interactive' | 'total-byte-weight', Audit>>;
}

interface Row {
  readonly page: string;
  readonly performance: number;
  readonly accessibility: number;
  /** Seconds until the page is interactive. */
  readonly interactive: number;
  /** Size of the transfer. */
  readonly kibibytes: number;
}

const chosen = process.argv.slice(2).filter((argument) => argument.startsWith('/'));
using folder = temporaryFolder(tmpdir());
await using service = await TestService.start({ parts: PARTS });
const person = await customer(service);
await createKey(person);
const boss = await operator(service);
const rows: Row[] = [];
for (const [who, paths, cookie] of [
  ['', PUBLIC, undefined],
  ['signed in', OF_CUSTOMERS, person.cookie],
  ['operator', OF_OPERATORS, boss.cookie],
] as const) {
  for (const path of paths.filter((path) => chosen.length === 0 || chosen.includes(path))) {
    const row = await measure(path, who === '' ? path : `${path} (${who})`, cookie);
    rows.push(row);
    console.log(line(row));
  }
}
if (process.argv.includes('--write')) await write();
const slow = rows.filter(
  ({ performance, accessibility }) => performance < 90 || accessibility < 100,
);
if (slow.length > 0) {
  console.error(`Too few points: ${slow.map(({ page }) => page).join(', ')}`);
  process.exitCode = 1;
}

async function measure(path: string, page: string, cookie: string | undefined): Promise<Row> {
  const address = service.dashboardUrl + path;
  // The first request bundles the pages.
  await fetch(address);
  const headers = cookie === undefined ? [] : ['--extra-headers', JSON.stringify({ cookie })];
  const output = await runTool(
    [
      ...['npx', '--yes', LIGHTHOUSE, address, '--quiet', '--output', 'json', ...headers],
      ...['--only-categories', 'performance,accessibility'],
      ...['--chrome-flags=--headless --no-sandbox --disable-gpu'],
    ],
    { cwd: folder.path, environment: { CHROME_PATH: chromiumPath() } },
  );
  // The format is defined by Lighthouse.
  const { categories, audits } = JSON.parse(output) as Report;
  return {
    page,
    performance: points(categories.performance),
    accessibility: points(categories.accessibility),
    interactive: (audits.interactive.numericValue ?? Number.NaN) / 1_000,
    kibibytes: (audits['total-byte-weight'].numericValue ?? Number.NaN) / 1_024,
  };
}

function points({ score }: Report['categories']['performance']): number {
  return Math.round((score ?? 0) * 100);
}

function line({ page, performance, accessibility, interactive, kibibytes }: Row): string {
  const figures = [performance, accessibility, interactive.toFixed(1), kibibytes.toFixed(0)];
  return `| \`${page}\` | ${figures.join(' | ')} |`;
}

/** The pages of operations are alike, so the document shows the largest of them. */
async function write(): Promise<void> {
  const isOperation = ({ page }: Row) => OPERATION_IDS.some((id) => page.endsWith(`/${id}`));
  const [heaviest] = rows.filter(isOperation).sort((a, b) => b.kibibytes - a.kibibytes);
  const shown = rows.filter((row) => !isOperation(row) || row === heaviest);
  const table = [
    '| Page | Performance | Accessibility | Interactive after s | KiB in all |',
    '|---|---|---|---|---|',
    ...shown.map(line),
    '',
  ].join('\n');
  const text = await Bun.file(DOCUMENT).text();
  await Bun.write(
    DOCUMENT,
    text.replace(TABLE, (_, before, after) => before + table + after),
  );
}
