import {
  addCounts,
  addFigures,
  hourOf,
  NO_REPLIES,
  NO_USAGE,
  type PeriodUsage,
  requestsOf,
  type SubjectUsage,
  type UsageCounts,
  type UsageFigures,
  type UsageSubject,
} from '../../../core/usage.ts';
import { percentile } from '../../../core/usage-durations.ts';
import { HOUR } from '../../../lib/clock.ts';
import { csvLine } from '../../../lib/csv.ts';
import { DashboardError, UNCACHED } from '../../errors.ts';
import type { DashboardStores } from '../../options.ts';
import type { UsageBucket, UsageFiguresInfo, UsageReport, UsedKey } from '../../shared/usage.ts';
import { byId } from '../by-id.ts';
import { environmentIn } from '../query.ts';
import { json } from '../replies.ts';
import type { AccountContext } from '../route.ts';
import { type Period, periodFrom, startOf } from './period.ts';

/** Maximum number of keys in a report. */
const MOST_KEYS = 100;
/** Maximum number of rows in a CSV file. */
const MOST_ROWS = 100_000;

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

const NO_FIGURES: UsageFigures = { ...NO_REPLIES, durations: [] };

type Filters = Partial<UsageSubject>;

/** The requests of the account in a period. */
export async function report(context: AccountContext): Promise<Response> {
  const { options, account, query } = context;
  const format = query.get('format') ?? 'json';
  if (format === 'csv') return reportCsv(context);
  if (format !== 'json') throw new DashboardError('invalid', '"format" must be json or csv.');
  const { stores, clock } = options;
  const now = clock.now().wall;
  const period = periodFrom(query, now);
  const filters = filtersFrom(query);
  const selection = { accountId: account.id, ...hoursOf(period) };
  const all = await stores.usage.bySubject(selection);
  const periods = await stores.usage.byPeriod({ ...selection, ...filters });
  const selected = all.filter((each) => isSelected(each, filters));
  const usedKey = await usedKeysOf(stores, all);
  return json<UsageReport>(200, {
    now,
    ...period,
    buckets: buckets(periods, period),
    total: figuresInfo(selected.reduce<UsageFigures>(addFigures, NO_FIGURES)),
    keys: grouped(selected, keyAndEnvironment)
      .slice(0, MOST_KEYS)
      .map((usage) => ({ key: usedKey(usage), ...figuresInfo(usage) })),
    operations: grouped(selected, ({ operation }) => operation).map((usage) => {
      return { operation: usage.operation, ...figuresInfo(usage) };
    }),
    choices: {
      keys: grouped(all, keyAndEnvironment)
        .filter(({ keyId }) => keyId !== '')
        .slice(0, MOST_KEYS)
        .map(usedKey),
      operations: [...new Set(all.map(({ operation }) => operation))].filter(Boolean).sort(),
    },
  });
}

/** The same requests as CSV. @throws ApiError `invalid` if there are too many rows. */
async function reportCsv({ options, account, query }: AccountContext): Promise<Response> {
  const { stores, clock } = options;
  const period = periodFrom(query, clock.now().wall);
  const selection = { accountId: account.id, ...hoursOf(period), ...filtersFrom(query) };
  const rows = await stores.usage.detailed(selection, MOST_ROWS + 1);
  if (rows.length > MOST_ROWS) {
    throw new DashboardError('invalid', 'These are too many rows. Choose a shorter period.');
  }
  const usedKey = await usedKeysOf(stores, rows);
  const lines = rows.map((row) => {
    const { p50, p95, p99, ...counts } = figuresInfo(row);
    const { hour, hours, environment, keyId, operation } = row;
    const from = new Date(hour * HOUR).toISOString();
    return csvLine([
      ...[from, hours, environment, keyId, usedKey(row).name, operation, requestsOf(counts)],
      ...Object.values(COUNT_NAMES).map((name) => counts[name]),
      ...[p50, p95, p99],
    ]);
  });
  return new Response([csvLine(CSV_COLUMNS), ...lines].join(''), {
    headers: {
      ...UNCACHED,
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="usage.csv"',
    },
  });
}

/** @throws ApiError `invalid` */
function filtersFrom(query: URLSearchParams): Filters {
  const environment = environmentIn(query);
  const keyId = query.get('key');
  const operation = query.get('operation');
  return {
    ...(environment && { environment }),
    ...(keyId !== null && { keyId }),
    ...(operation !== null && { operation }),
  };
}

function isSelected(usage: SubjectUsage, { environment, keyId, operation }: Filters): boolean {
  return (
    (environment === undefined || usage.environment === environment) &&
    (keyId === undefined || usage.keyId === keyId) &&
    (operation === undefined || usage.operation === operation)
  );
}

function hoursOf({ from, to }: Period) {
  return { first: hourOf(from), last: hourOf(to) - 1 };
}

function keyAndEnvironment({ keyId, environment }: SubjectUsage): string {
  return `${keyId} ${environment}`;
}

/**
 * Adds up usage with the same name, sorted by requests, most first. Other fields are those of the
 * first usage of each name.
 */
function grouped(
  usage: readonly SubjectUsage[],
  name: (each: SubjectUsage) => string,
): SubjectUsage[] {
  return [...Map.groupBy(usage, name).values()]
    .flatMap((group) => {
      const figures = group.reduce<UsageFigures>(addFigures, NO_FIGURES);
      return group.slice(0, 1).map((first) => ({ ...first, ...figures }));
    })
    .sort((a, b) => requestsOf(b) - requestsOf(a));
}

function figuresInfo(figures: UsageFigures): UsageFiguresInfo {
  const { succeeded, clientErrors, limited, serverErrors, durations } = figures;
  const { invalid, unauthorized, notFound, conflicts } = figures;
  return {
    ...{ succeeded, clientErrors, limited, serverErrors },
    ...{ invalid, unauthorized, notFound, conflicts },
    p50: rounded(percentile(durations, 0.5)),
    p95: rounded(percentile(durations, 0.95)),
    p99: rounded(percentile(durations, 0.99)),
  };
}

/** Rounds to three significant digits. */
function rounded(duration: number | undefined): number | null {
  return duration === undefined ? null : Number(duration.toPrecision(3));
}

/** The oldest first, empty ones included. */
function buckets(usage: readonly PeriodUsage[], { from, to, bucketHours }: Period): UsageBucket[] {
  const length = bucketHours * HOUR;
  const inBucket = Map.groupBy(usage, ({ hour }) => startOf(length, hour * HOUR));
  return Array.from({ length: (to - from) / length }, (_, index) => {
    const begin = from + index * length;
    return { from: begin, ...(inBucket.get(begin) ?? []).reduce<UsageCounts>(addCounts, NO_USAGE) };
  });
}

/** Looks up the names of the keys in this usage. */
async function usedKeysOf(
  { keys }: Pick<DashboardStores, 'keys'>,
  usage: readonly SubjectUsage[],
): Promise<(usage: SubjectUsage) => UsedKey> {
  const ids = usage.map(({ keyId }) => keyId).filter((id) => id !== '');
  const keyOf = await byId(keys, ids);
  return ({ keyId: id, environment }) => {
    const { name = null, lastFour = null } = keyOf.get(id) ?? {};
    return { id, environment, name, lastFour };
  };
}
