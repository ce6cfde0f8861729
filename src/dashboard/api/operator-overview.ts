import {
  addCounts,
  hourOf,
  NO_USAGE,
  type OperationUsageTotal,
} from '../../core/requests/usage.ts';
import { percentile } from '../../core/requests/usage-durations.ts';
import { DAY } from '../../lib/clock.ts';
import type { OperationInfo, OverviewInfo } from '../shared/operator.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

export const overviewRoutes: readonly Route[] = [
  { method: 'GET', path: '/operator/overview', access: 'operator', handle: show },
];

async function show({ options }: AccountContext): Promise<Response> {
  const { clock, stores } = options;
  const now = clock.now().wall;
  const totals = await stores.usage.totals(hourOf(now - DAY) + 1);
  const { succeeded, clientErrors, limited, serverErrors } = totals.reduce(addCounts, NO_USAGE);
  const bans = await stores.bans.active(now);
  const backup = await stores.backups.last();
  const checks = [...(await options.checkReadiness())];
  return json<OverviewInfo>(200, {
    now,
    requests: { succeeded, clientErrors, limited, serverErrors },
    bansInForce: bans.length,
    operations: totals
      .map(operationInfo)
      .sort((one, other) => (other.p95 ?? 0) - (one.p95 ?? 0) || other.requests - one.requests),
    checks: checks.map(([name, problem]) => ({ name, problem: problem ?? null })),
    lastBackup: backup ? { at: backup.at, isRegular: backup.isRegular } : null,
  });
}

function operationInfo(total: OperationUsageTotal): OperationInfo {
  const { operation, succeeded, clientErrors, limited, serverErrors, durations } = total;
  const errors = clientErrors + limited + serverErrors;
  const p95 = percentile(durations, 0.95) ?? null;
  return { operation, requests: succeeded + errors, errors, p95 };
}
