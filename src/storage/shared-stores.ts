import type { AccountStore } from '../core/accounts.ts';
import type { ApiKeyStore } from '../core/api-keys.ts';
import type { AuditLog } from '../core/audit.ts';
import type { BanStore } from '../core/ban-records.ts';
import type { ChangeFeed, ChangeSignal } from '../core/changes.ts';
import type { EnvironmentResets } from '../core/environment-resets.ts';
import type { MessageStore } from '../core/messages.ts';
import type { RequestLogStore } from '../core/request-log.ts';
import type { SandboxStore } from '../core/sandbox-store.ts';
import type { SecondFactorStore } from '../core/second-factors.ts';
import type { SessionStore } from '../core/sessions.ts';
import type { Settings } from '../core/settings.ts';
import type { SimulationStore } from '../core/simulations.ts';
import type { UsageStore } from '../core/usage.ts';
import { type Access, bindChanges } from './access.ts';
import { accountChanges, StoredAccounts } from './accounts.ts';
import { apiKeyChanges, type KeyUses, StoredApiKeys } from './api-keys.ts';
import { auditChanges, StoredAuditLog } from './audit.ts';
import { banChanges, StoredBans } from './bans.ts';
import { ChangeLog } from './change-log.ts';
import { environmentResetChanges, StoredEnvironmentResets } from './environment-resets.ts';
import { type MessageQueue, StoredMessages } from './messages.ts';
import { type AddRequests, requestLogChanges, StoredRequestLog } from './request-log.ts';
import { StoredSandboxes, sandboxChanges } from './sandboxes.ts';
import { secondFactorChanges } from './second-factor-changes.ts';
import { StoredSecondFactors } from './second-factors.ts';
import { StoredSessions, sessionChanges } from './sessions.ts';
import { StoredSettings } from './settings.ts';
import { StoredSimulations, simulationChanges } from './simulations.ts';
import { StoredUsage, type UsageBatches, usageChanges } from './usage.ts';

/** Every change of the stores that are written once for both engines, by name. */
export const CHANGES = {
  ...accountChanges,
  ...apiKeyChanges,
  ...auditChanges,
  ...banChanges,
  ...environmentResetChanges,
  ...requestLogChanges,
  ...sandboxChanges,
  ...simulationChanges,
  ...secondFactorChanges,
  ...sessionChanges,
  ...usageChanges,
};

export type Changes = typeof CHANGES;

/** What an engine does by hand, since it happens beside every request. */
export interface HandWritten {
  readonly keys: KeyUses;
  readonly messages: MessageQueue;
  readonly usage: UsageBatches;
  readonly requestLog: RequestLogEngine;
}

/** The request log of an engine: on SQLite it has a file of its own. */
export interface RequestLogEngine
  extends Pick<Access<typeof requestLogChanges>, 'changes' | 'queries'> {
  readonly add: AddRequests;
}

/** The stores that are written once for both engines. */
export interface SharedStores extends Pick<Access<Changes>, 'queries'> {
  readonly settings: Settings;
  readonly changes: ChangeSignal & ChangeFeed;
  readonly accounts: AccountStore;
  readonly secondFactors: SecondFactorStore;
  readonly sessions: SessionStore;
  readonly keys: ApiKeyStore;
  readonly bans: BanStore;
  readonly sandboxes: SandboxStore;
  readonly messages: MessageStore;
  readonly usage: UsageStore;
  readonly requestLog: RequestLogStore;
  readonly audit: AuditLog;
  readonly simulations: SimulationStore;
  readonly environmentResets: EnvironmentResets;
}

export function sharedStores(engine: Access<Changes>, byHand: HandWritten): SharedStores {
  const changes = new ChangeLog(engine);
  const access = withAfterChange(engine, () => changes.applyOwnChanges());
  const requestLog = new StoredRequestLog(byHand.requestLog, byHand.requestLog.add);
  return {
    settings: new StoredSettings(access),
    changes,
    accounts: new StoredAccounts(access, (id) => requestLog.forgetAccount(id)),
    secondFactors: new StoredSecondFactors(access),
    sessions: new StoredSessions(access),
    keys: new StoredApiKeys(access, byHand.keys),
    bans: new StoredBans(access),
    sandboxes: new StoredSandboxes(access),
    messages: new StoredMessages(access, byHand.messages),
    usage: new StoredUsage(access, byHand.usage),
    requestLog,
    audit: new StoredAuditLog(access),
    simulations: new StoredSimulations(access),
    environmentResets: new StoredEnvironmentResets(access, requestLog),
    queries: () => access.queries(),
  };
}

/** The same access; each change resolves after `afterChange`. */
function withAfterChange(
  access: Access<Changes>,
  afterChange: () => Promise<void>,
): Access<Changes> {
  return {
    changes: bindChanges(CHANGES, async (name, args) => {
      const result: unknown = await Reflect.apply(access.changes[name], undefined, args);
      await afterChange();
      return result;
    }),
    queries: () => access.queries(),
    rows: (selection, ...values) => access.rows(selection, ...values),
    run: (sql, ...values) => access.run(sql, ...values),
  };
}
