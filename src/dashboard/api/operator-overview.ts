import {
  type AccountUsageTotal,
  addCounts,
  type HourUsageTotal,
  hourOf,
  NO_USAGE,
  type OperationUsageTotal,
  OUTCOMES,
} from '../../core/requests/usage.ts';
import { percentile } from '../../core/requests/usage-durations.ts';
import { DAY, HOUR } from '../../lib/clock.ts';
import { COMMAND } from '../command.ts';
import type { DashboardStores } from '../options.ts';
import type { OperationInfo, OverviewInfo } from '../shared/operator.ts';
import type { UsageBucket } from '../shared/usage.ts';
import { byId } from './by-id.ts';
import { choiceIn } from './query.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

/** Maximum number of accounts that are listed. */
const MOST_ACCOUNTS = 10;

export const overviewRoutes: readonly Route[] = [
  { method: 'GET', path: '/operator/overview', access: 'operator', handle: show },
];

async function show({ options, query }: AccountContext): Promise<Response> {
  const { clock, stores } = options;
  const now = clock.now().wall;
  const first = hourOf(now - DAY) + 1;
  const by = choiceIn(query, 'by', ['requests', ...OUTCOMES]) ?? 'requests';
  const totals = await stores.usage.totals(first);
  const { succeeded, clientErrors, limited, serverErrors } = totals.reduce(addCounts, NO_USAGE);
  const outcome = by === 'requests' ? undefined : by;
  const busiest = await stores.usage.busiest(first, MOST_ACCOUNTS, outcome);
  const bans = await stores.bans.active(now);
  const backup = await stores.backups.last();
  const checks = [...(await options.checkReadiness())];
  return json<OverviewInfo>(200, {
    now,
    requests: { succeeded, clientErrors, limited, serverErrors },
    hours: hoursFrom(first, await stores.usage.hourly(first)),
    accounts: await withAddresses(busiest, stores),
    bansInForce: bans.length,
    operations: totals
      .map(operationInfo)
      .sort((one, other) => (other.p95 ?? 0) - (one.p95 ?? 0) || other.requests - one.requests),
    checks: checks.map(([name, problem]) => ({ name, problem: problem ?? null })),
    backupCommand: `${COMMAND} backup --to backups --keep 7`,
    lastBackup: backup ? { at: backup.at, isRegular: backup.isRegular } : null,
  });
}

/** 24 hours, empty ones included. */
function hoursFrom(first: number, totals: readonly HourUsageTotal[]): UsageBucket[] {
  const countsOf = new Map(totals.map(({ hour, ...counts }) => [hour, counts]));
  return Array.from({ length: DAY / HOUR }, (_, index) => {
    const hour = first + index;
    return { from: hour * HOUR, ...(countsOf.get(hour) ?? NO_USAGE) };
  });
}

async function withAddresses(
  totals: readonly AccountUsageTotal[],
  { accounts }: Pick<DashboardStores, 'accounts'>,
): Promise<OverviewInfo['accounts']> {
  const ids = totals.map(({ accountId }) => accountId);
  const accountOf = await byId(accounts, ids);
  return totals.map(({ accountId: id, ...counts }) => {
    return { id, email: accountOf.get(id)?.email ?? null, ...counts };
  });
}

function operationInfo(total: OperationUsageTotal): OperationInfo {
  const { operation, succeeded, clientErrors, limited, serverErrors, durations } = total;
  const errors = clientErrors + limited + serverErrors;
  const p95 = percentile(durations, 0.95) ?? null;
  return { operation, requests: succeeded + errors, errors, p95 };
}
