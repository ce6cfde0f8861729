import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../../bench/statistics.ts';
import { table } from '../../bench/table.ts';
import { PARTS } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { chromiumPath } from '../support/browser.ts';
import { customer } from '../support/dashboard-scene.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { auditValue, lighthouseCommand, lighthouseReport, points } from '../support/lighthouse.ts';
import { fillMonth } from '../support/month-scene.ts';

/*
 * Measures the pages with the most data, of an account with 30 days of data, on an emulated desktop computer with
 * simulated throttling: npm run lighthouse:desktop [-- PATH...]
 * Prints the medians of five runs; with --write it renews the table in docs/performance.md. Fails when a page has less
 * than 90 points for performance, or blocks the main thread for 200 ms or more. Measure on an idle machine.
 */

const RUNS = 5;
const PAGES = ['/keys', '/requests', '/usage', '/usage?last=30d', '/animals'];
const DOCUMENT = join(import.meta.dir, '..', '..', 'docs', 'performance.md');
const TABLE = /(<!-- lighthouse-desktop -->\n)[\s\S]*?(<!-- \/lighthouse-desktop -->)/;
const COLUMNS = ['Page', 'Performance', 'Blocked ms', 'Largest paint after s', 'Processor'];

interface Run {
  readonly performance: number;
  /** The total blocking time, in ms. */
  readonly blocked: number;
  /** The largest contentful paint, in seconds. */
  readonly painted: number;
  /** The speed of the processor as Lighthouse measured it. */
  readonly processor: number;
}

const chosen = process.argv.slice(2).filter((argument) => argument.startsWith('/'));
const pages = PAGES.filter((path) => chosen.length === 0 || chosen.includes(path));
using folder = temporaryFolder(tmpdir());
await using service = await TestService.start({ parts: PARTS });
const person = await customer(service, subscribe('pro'));
const account = await service.stores.accounts.find(person.accountId);
if (!account) throw new Error('The account is gone.');
await fillMonth(service, account);
const runs = new Map<string, Run[]>(pages.map((path) => [path, []]));
for (let run = 1; run <= RUNS; run += 1) {
  // In turn, so that other programs disturb all pages alike.
  for (const [path, measured] of runs) {
    console.error(`measuring ${path}, ${run} of ${RUNS}`);
    measured.push(await measure(path));
  }
}
const rows = [...runs].map(([path, measured]) => ({ path, ...mediansOf(measured) }));
const written = table(COLUMNS, rows.map(cellsOf));
console.log(written);
if (process.argv.includes('--write')) {
  const text = await Bun.file(DOCUMENT).text();
  await Bun.write(
    DOCUMENT,
    text.replace(TABLE, (_, before, after) => `${before}${written}\n${after}`),
  );
}
const slow = rows.filter(({ performance, blocked }) => performance < 90 || blocked >= 200);
if (slow.length > 0) {
  console.error(`Too slow: ${slow.map(({ path }) => path).join(', ')}`);
  process.exitCode = 1;
}

async function measure(path: string): Promise<Run> {
  const address = service.dashboardUrl + path;
  // The first request bundles the pages.
  await fetch(address);
  const report = await lighthouseReport(
    lighthouseCommand({
      address,
      cookie: person.cookie,
      categories: ['performance'],
      isDesktop: true,
    }),
    {
      folder: folder.path,
      environment: { CHROME_PATH: chromiumPath() },
      onRetry: (reason) => console.error(`  again: ${reason}`),
    },
  );
  return {
    performance: points(report.categories.performance),
    blocked: auditValue(report, 'total-blocking-time'),
    painted: auditValue(report, 'largest-contentful-paint') / 1_000,
    processor: report.environment.benchmarkIndex,
  };
}

function mediansOf(measured: readonly Run[]): Run {
  const of = (pick: (run: Run) => number) => median(measured.map(pick));
  return {
    performance: of(({ performance }) => performance),
    blocked: of(({ blocked }) => blocked),
    painted: of(({ painted }) => painted),
    processor: of(({ processor }) => processor),
  };
}

function cellsOf({ path, performance, blocked, painted, processor }: Run & { path: string }) {
  const figures = [performance, blocked.toFixed(0), painted.toFixed(2), processor.toFixed(0)];
  return [`\`${path}\``, ...figures.map(String)];
}
