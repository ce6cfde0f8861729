import {
  type DetailedUsage,
  requestsOf,
  type UsageSelection,
} from '../../../core/requests/usage.ts';
import { chunks } from '../../../lib/chunks.ts';
import { HOUR } from '../../../lib/clock.ts';
import { csvLine } from '../../../lib/csv.ts';
import type { DashboardStores } from '../../options.ts';
import { download, ROWS_AT_ONCE } from '../download.ts';
import { figuresInfo, usedKeysOf } from './figures.ts';

/** The columns with counts of replies, and the count of each. */
const COUNT_NAMES = {
  succeeded: 'succeeded',
  client_errors: 'clientErrors',
  invalid: 'invalid',
  unauthorized: 'unauthorized',
  not_found: 'notFound',
  conflicts: 'conflicts',
  limited: 'limited',
  server_errors: 'serverErrors',
} as const;

const CSV_COLUMNS = [
  ...['from_utc', 'hours', 'environment', 'key_id', 'key_name', 'operation', 'requests'],
  ...Object.keys(COUNT_NAMES),
  ...['p50_ms', 'p95_ms', 'p99_ms'],
];

/** The longest part of a period that is read at once, in hours. */
const MOST_HOURS = 24;

/** Maximum number of rows of one hour: an account has few keys, and the API few operations. */
const MOST_OF_HOUR = 100_000;

/** A part of the usage of an account. */
type Selection = UsageSelection & { readonly last: number };

/** The usage of an account by hour, key and operation, as CSV. */
export function downloadUsage(selection: Selection, stores: DashboardStores): Response {
  return download('usage.csv', 'text/csv; charset=utf-8', pieces(selection, stores));
}

async function* pieces(selection: Selection, stores: DashboardStores): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS);
  for await (const rows of parts(selection, stores)) {
    if (rows.length === 0) yield '';
    const usedKey = await usedKeysOf(stores, rows);
    for (const chunk of chunks(rows, ROWS_AT_ONCE)) {
      yield chunk.map((row) => lineOf(row, usedKey(row).name)).join('');
    }
  }
}

/**
 * The rows of one part of the period after the other. Parts are as long as few rows allow: of a busy
 * account an hour, of others up to a day.
 */
async function* parts(
  { last: end, ...selection }: Selection,
  { usage }: DashboardStores,
): AsyncGenerator<readonly DetailedUsage[]> {
  let hours = 1;
  for (let first = selection.first; first <= end; ) {
    const last = Math.min(first + hours - 1, end);
    const most = hours === 1 ? MOST_OF_HOUR : ROWS_AT_ONCE;
    const rows = await usage.detailed({ ...selection, first, last }, most + 1);
    if (rows.length > most) {
      hours = 1;
      continue;
    }
    yield rows;
    first = last + 1;
    if (rows.length <= ROWS_AT_ONCE / 2) hours = Math.min(2 * hours, MOST_HOURS);
  }
}

function lineOf(row: DetailedUsage, keyName: string | null): string {
  const { p50, p95, p99, ...counts } = figuresInfo(row);
  const { hour, hours, environment, keyId, operation } = row;
  const from = new Date(hour * HOUR).toISOString();
  return csvLine([
    ...[from, hours, environment, keyId, keyName, operation, requestsOf(counts)],
    ...Object.values(COUNT_NAMES).map((name) => counts[name]),
    ...[p50, p95, p99],
  ]);
}
