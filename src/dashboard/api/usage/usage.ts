import type { Account } from '../../../core/accounts/accounts.ts';
import type { Environment } from '../../../core/environments.ts';
import type { CurrentWindow } from '../../../core/limits/current-usage.ts';
import { hourOf, type PeriodUsage } from '../../../core/requests/usage.ts';
import { DAY, HOUR } from '../../../lib/clock.ts';
import type { DashboardOptions, DashboardStores } from '../../options.ts';
import type { UsageEvent, UsageInfo, WindowInfo, WindowsInfo } from '../../shared/usage.ts';
import { liveKeys } from '../bans.ts';
import { byId } from '../by-id.ts';
import { onAccount } from '../of-account.ts';
import { json } from '../replies.ts';
import type { AccountContext } from '../route.ts';
import { startOf } from './period.ts';
import { report } from './requests.ts';

const DAYS_SHOWN = 30;
const MAX_EVENTS = 50;

export const usageRoutes = [...onAccount('/usage', show), ...onAccount('/usage/requests', report)];

/** The remaining requests of the account, and its latest refusals. */
async function show({ options, account }: AccountContext): Promise<Response> {
  const now = options.clock.now().wall;
  const first = hourOf(startOf(DAY, now) - (DAYS_SHOWN - 1) * DAY);
  const { usage } = options.stores;
  const selection = { accountId: account.id, first, last: hourOf(now) };
  const events = [
    ...refusals(await usage.byPeriod(selection)),
    ...(await bans(options.stores, account, now)),
  ];
  return json<UsageInfo>(200, {
    now,
    windows: await windows(options, account),
    events: events.sort((a, b) => b.at - a.at).slice(0, MAX_EVENTS),
  });
}

/** The remaining requests of an account's limits, in both environments. */
export async function windows(
  { stores, clock, currentUsage }: DashboardOptions,
  account: Account,
): Promise<UsageInfo['windows']> {
  const { banned, others } = await liveKeys(stores, account.id, clock.now().wall);
  const windowsOf = async (environment: Environment): Promise<WindowsInfo> => {
    const { minute, day } = await currentUsage(account, environment);
    const ban = banned.find((each) => each.ban.environment === environment)?.ban;
    if (!ban || others.some((key) => key.environment === environment)) {
      return { minute: windowInfo(minute), day: windowInfo(day) };
    }
    const bannedUntil = ban.endsAt;
    return {
      minute: bannedWindow(minute, bannedUntil),
      day: bannedWindow(day, bannedUntil),
      bannedUntil,
    };
  };
  const [production, staging] = await Promise.all([windowsOf('production'), windowsOf('staging')]);
  return { production, staging };
}

function windowInfo({ limit, remaining, resetsAt }: CurrentWindow): WindowInfo {
  return { limit, remaining, resetAt: resetsAt };
}

function bannedWindow(window: CurrentWindow, bannedUntil: number): WindowInfo {
  const afterBan = window.resetsAt > bannedUntil ? window.remaining : window.limit;
  return { ...windowInfo(window), remaining: 0, afterBan };
}

function refusals(usage: readonly PeriodUsage[]): UsageEvent[] {
  return usage
    .filter(({ limited }) => limited > 0)
    .map(({ hour, hours, environment, limited }) => {
      const at = hour * HOUR;
      return { kind: 'refused', at, environment, count: limited, ...(hours > 1 && { hours }) };
    });
}

async function bans(stores: DashboardStores, account: Account, now: number): Promise<UsageEvent[]> {
  const banned = await stores.bans.ofAccount(account.id, now - DAYS_SHOWN * DAY, MAX_EVENTS);
  const keyOf = await byId(
    stores.keys,
    banned.map(({ keyId }) => keyId),
  );
  return banned.flatMap(({ keyId, startsAt, endsAt, liftedAt, environment, reason }) => {
    const key = keyOf.get(keyId);
    if (!key) return [];
    const { name, lastFour } = key;
    return {
      kind: 'banned',
      at: startsAt,
      environment,
      keyId,
      keyName: name,
      lastFour,
      until: endsAt,
      reason,
      liftedAt: liftedAt ?? null,
    };
  });
}
