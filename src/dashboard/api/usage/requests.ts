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
} from '../../../core/requests/usage.ts';
import { HOUR } from '../../../lib/clock.ts';
import { DashboardError } from '../../errors.ts';
import type { UsageBucket, UsageReport } from '../../shared/usage.ts';
import { environmentIn } from '../query.ts';
import { json } from '../replies.ts';
import type { AccountContext } from '../route.ts';
import { downloadUsage } from './download.ts';
import { figuresInfo, usedKeysOf } from './figures.ts';
import { type Period, periodFrom, startOf } from './period.ts';

/** Maximum number of keys in a report. */
const MOST_KEYS = 100;

const NO_FIGURES: UsageFigures = { ...NO_REPLIES, durations: [] };

type Filters = Partial<UsageSubject>;

/** The requests of the account in a period. */
export async function report({ options, account, query }: AccountContext): Promise<Response> {
  const { stores, clock } = options;
  const format = query.get('format') ?? 'json';
  if (format !== 'csv' && format !== 'json') {
    throw new DashboardError('invalid', '"format" must be json or csv.');
  }
  const now = clock.now().wall;
  const period = periodFrom(query, now);
  const filters = filtersFrom(query);
  const selection = { accountId: account.id, ...hoursOf(period) };
  if (format === 'csv') return downloadUsage({ ...selection, ...filters }, stores);
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

/** The oldest first, empty ones included. */
function buckets(usage: readonly PeriodUsage[], { from, to, bucketHours }: Period): UsageBucket[] {
  const length = bucketHours * HOUR;
  const inBucket = Map.groupBy(usage, ({ hour }) => startOf(length, hour * HOUR));
  return Array.from({ length: (to - from) / length }, (_, index) => {
    const begin = from + index * length;
    return { from: begin, ...(inBucket.get(begin) ?? []).reduce<UsageCounts>(addCounts, NO_USAGE) };
  });
}
