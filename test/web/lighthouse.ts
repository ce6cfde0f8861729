import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../../bench/table.ts';
import { OPERATION_IDS } from '../../src/api/all-operations.ts';
import { PARTS } from '../../src/config/config.ts';
import { REFERENCE_PATHS } from '../../src/dashboard/reference/paths.ts';
import { chromiumPath } from '../support/browser.ts';
import { createKey, customer, operator } from '../support/dashboard-scene.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { auditValue, lighthouseCommand, lighthouseReport, points } from '../support/lighthouse.ts';

/*
 * Measures pages with Lighthouse: npm run lighthouse [-- PATH...]
 * It emulates a phone with a four times slower processor and a connection of 1.6 Mbit/s. A page whose measurement is
 * aborted is tried again. Prints a table; with --write it renews the one in docs/performance.md. Fails when a page has
 * less than 90 points for performance or less than 100 for accessibility. Measure on an idle machine.
 */

const DOCUMENT = join(import.meta.dir, '..', '..', 'docs', 'performance.md');
const TABLE = /(<!-- lighthouse -->\n)[\s\S]*?(<!-- \/lighthouse -->)/;

const PUBLIC = ['/', '/sign-in', '/sign-up', '/forgot-password', ...REFERENCE_PATHS];
const OF_CUSTOMERS = [
  '/',
  '/animals?environment=staging',
  '/orders',
  '/keys',
  '/requests',
  '/usage',
  '/messages',
  '/sandbox',
  '/plan',
  '/account',
];
const COLUMNS = ['Page', 'Performance', 'Accessibility', 'Interactive after s', 'KiB in all'];

const OF_OPERATORS = [
  '/operator',
  '/operator/overview',
  '/operator/bans',
  '/operator/orders',
  '/operator/audit',
];

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
const failed: string[] = [];
for (const [who, paths, cookie] of [
  ['', PUBLIC, undefined],
  ['signed in', OF_CUSTOMERS, person.cookie],
  ['operator', OF_OPERATORS, boss.cookie],
] as const) {
  for (const path of paths.filter((path) => chosen.length === 0 || chosen.includes(path))) {
    const page = who === '' ? path : `${path} (${who})`;
    console.error(`measuring ${page}`);
    const row = await measure(path, page, cookie).catch((error: Error) => {
      console.error(`  given up: ${error.message}`);
      return undefined;
    });
    if (row) rows.push(row);
    else failed.push(page);
  }
}
console.log(table(COLUMNS, rows.map(cellsOf)));
if (failed.length > 0) {
  console.error(`Not measured: ${failed.join(', ')}`);
  process.exitCode = 1;
} else if (process.argv.includes('--write')) await write();
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
  const report = await lighthouseReport(
    lighthouseCommand({ address, cookie, categories: ['performance', 'accessibility'] }),
    {
      folder: folder.path,
      environment: { CHROME_PATH: chromiumPath() },
      onRetry: (reason) => console.error(`  again: ${reason}`),
    },
  );
  return {
    page,
    performance: points(report.categories.performance),
    accessibility: points(report.categories.accessibility),
    interactive: auditValue(report, 'interactive') / 1_000,
    kibibytes: auditValue(report, 'total-byte-weight') / 1_024,
  };
}

function cellsOf({ page, performance, accessibility, interactive, kibibytes }: Row): string[] {
  const figures = [performance, accessibility, interactive.toFixed(1), kibibytes.toFixed(0)];
  return [`\`${page}\``, ...figures.map(String)];
}

/** The pages of operations are alike, so the document shows the largest of them. */
async function write(): Promise<void> {
  const isOperation = ({ page }: Row) => OPERATION_IDS.some((id) => page.endsWith(`/${id}`));
  const [heaviest] = rows.filter(isOperation).sort((a, b) => b.kibibytes - a.kibibytes);
  const shown = rows.filter((row) => !isOperation(row) || row === heaviest);
  const written = `${table(COLUMNS, shown.map(cellsOf))}\n`;
  const text = await Bun.file(DOCUMENT).text();
  await Bun.write(
    DOCUMENT,
    text.replace(TABLE, (_, before, after) => before + written + after),
  );
}
