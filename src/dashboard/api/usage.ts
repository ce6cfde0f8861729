import type { Account } from '../../core/accounts.ts';
import type { Environment } from '../../core/environments.ts';
import type { WindowUsage } from '../../core/rate-limit.ts';
import { addCounts, hourOf, NO_USAGE, type PeriodUsage } from '../../core/usage.ts';
import { DAY, HOUR, type Instant } from '../../lib/clock.ts';
import type { DashboardOptions, DashboardStores } from '../options.ts';
import type { UsageBucket, UsageEvent, UsageInfo, WindowInfo } from '../shared/api.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

const HOURS_SHOWN = 24;
const DAYS_SHOWN = 30;
const MAX_EVENTS = 50;

export const usageRoutes: readonly Route[] = [
  { method: 'GET', path: '/usage', access: 'account', handle: show },
];

async function show({ options, account }: AccountContext): Promise<Response> {
  const now = options.clock.now();
  const firstDay = startOf(DAY, now.wall) - (DAYS_SHOWN - 1) * DAY;
  const { usage } = options.stores;
  const records = await usage.byPeriod({
    accountId: account.id,
    first: hourOf(firstDay),
    last: hourOf(now.wall),
  });
  const [production, staging] = await Promise.all([
    windows(options, account, 'production', now),
    windows(options, account, 'staging', now),
  ]);
  const events = [...refusals(records), ...(await bans(options.stores, account, now.wall))];
  return json<UsageInfo>(200, {
    now: now.wall,
    windows: { production, staging },
    hours: buckets(records, HOUR, HOURS_SHOWN, now.wall),
    days: buckets(records, DAY, DAYS_SHOWN, now.wall),
    events: events.sort((a, b) => b.at - a.at).slice(0, MAX_EVENTS),
  });
}

async function windows(
  { currentUsage }: DashboardOptions,
  account: Account,
  environment: Environment,
  now: Instant,
): Promise<UsageInfo['windows'][Environment]> {
  const { minute, day } = await currentUsage(account, environment);
  return { minute: windowInfo(minute, now), day: windowInfo(day, now) };
}

function windowInfo({ limit, remaining, resetIn }: WindowUsage, now: Instant): WindowInfo {
  return { limit, remaining, resetAt: Math.ceil(now.wall + resetIn) };
}

/** The latest `count` buckets of this length (ms), the oldest first, empty ones included. */
function buckets(
  records: readonly PeriodUsage[],
  length: number,
  count: number,
  now: number,
): UsageBucket[] {
  const inBucket = Map.groupBy(records, ({ hour }) => startOf(length, hour * HOUR));
  const first = startOf(length, now) - (count - 1) * length;
  return Array.from({ length: count }, (_, index) => {
    const from = first + index * length;
    const { succeeded, clientErrors, limited, serverErrors } = (inBucket.get(from) ?? []).reduce(
      addCounts,
      NO_USAGE,
    );
    return { from, succeeded, clientErrors, limited, serverErrors };
  });
}

function refusals(records: readonly PeriodUsage[]): UsageEvent[] {
  return records
    .filter(({ limited }) => limited > 0)
    .map(({ hour, environment, limited }) => {
      return { kind: 'refused', at: hour * HOUR, environment, count: limited };
    });
}

async function bans(stores: DashboardStores, account: Account, now: number): Promise<UsageEvent[]> {
  const banned = await stores.bans.ofAccount(account.id, now - DAYS_SHOWN * DAY, MAX_EVENTS);
  const named = await stores.keys.findAll([...new Set(banned.map(({ keyId }) => keyId))]);
  const keys = new Map(named.map((key) => [key.id, key]));
  return banned.flatMap(({ keyId, startsAt, endsAt, liftedAt, environment, reason }) => {
    const key = keys.get(keyId);
    if (!key) return [];
    const { name, lastFour } = key;
    return {
      kind: 'banned',
      at: startsAt,
      environment,
      keyName: name,
      lastFour,
      until: endsAt,
      reason,
      liftedAt: liftedAt ?? null,
    };
  });
}

/** The beginning of the UTC hour or day (its length in ms) that an instant (epoch ms) lies in. */
function startOf(length: number, moment: number): number {
  return Math.floor(moment / length) * length;
}
