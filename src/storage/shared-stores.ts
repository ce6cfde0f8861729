import type { BanStore } from '../core/ban-records.ts';
import type { Access, BoundChanges, Engine, NamedChange } from './access.ts';
import { accountChanges, StoredAccounts } from './accounts.ts';
import { apiKeyChanges, type KeyUses, StoredApiKeys } from './api-keys.ts';
import { auditChanges, storedAuditLog } from './audit.ts';
import { banChanges, StoredBans } from './bans.ts';
import { ChangeLog } from './change-log.ts';
import { environmentResetChanges, storedEnvironmentResets } from './environment-resets.ts';
import { type MessageQueue, StoredMessages } from './messages.ts';
import { type AddRequests, requestLogChanges, storedRequestLog } from './request-log.ts';
import { sandboxChanges, storedSandboxes } from './sandboxes.ts';
import type { Transaction } from './schema.ts';
import { secondFactorChanges } from './second-factor-changes.ts';
import { storedSecondFactors } from './second-factors.ts';
import { sessionChanges, storedSessions } from './sessions.ts';
import { storedSettings } from './settings.ts';
import { simulationChanges, storedSimulations } from './simulations.ts';
import { StoredUsage, type UsageBatches, usageChanges } from './usage.ts';

/** The changes of the stores that are written once for both engines. */
const CHANGES = {
  accounts: accountChanges,
  keys: apiKeyChanges,
  audit: auditChanges,
  bans: banChanges,
  environmentResets: environmentResetChanges,
  requestLog: requestLogChanges,
  sandboxes: sandboxChanges,
  simulations: simulationChanges,
  secondFactors: secondFactorChanges,
  sessions: sessionChanges,
  usage: usageChanges,
};

type Changes = typeof CHANGES;

/** What an engine does by hand, since it happens beside every request. */
export interface HandWritten {
  readonly keys: KeyUses;
  readonly messages: MessageQueue;
  readonly usage: UsageBatches;
  readonly addRequests: AddRequests;
  /** What changes and reads the request log where it has a file of its own. */
  readonly requestLogFile?: Omit<Engine, 'rows'>;
}

export type SharedStores = ReturnType<typeof sharedStores>;

/** The stores that are written once for both engines. */
export function sharedStores(engine: Engine, byHand: HandWritten) {
  const changes = new ChangeLog(engine);
  const make = async (change: NamedChange) => {
    const result = await engine.change(change);
    await changes.applyOwnChanges();
    return result;
  };
  const access = <Store extends keyof Changes>(store: Store): Access<Changes[Store]> => ({
    ...engine,
    changes: bindChanges(store, make),
  });
  const { addRequests, requestLogFile = engine } = byHand;
  const requestLog = storedRequestLog(
    {
      // No server caches what is in the log: there is nothing to apply after a change.
      changes: bindChanges('requestLog', (change) => requestLogFile.change(change)),
      queries: () => requestLogFile.queries(),
      run: (sql, ...values) => requestLogFile.run(sql, ...values),
    },
    addRequests,
  );
  const bans: BanStore = new StoredBans(access('bans'));
  return {
    settings: storedSettings(engine),
    changes,
    accounts: new StoredAccounts(access('accounts'), (id) => requestLog.forgetAccount(id)),
    secondFactors: storedSecondFactors(access('secondFactors')),
    sessions: storedSessions(access('sessions')),
    keys: new StoredApiKeys(access('keys'), byHand.keys),
    bans,
    sandboxes: storedSandboxes(access('sandboxes')),
    messages: new StoredMessages(engine, byHand.messages),
    usage: new StoredUsage(access('usage'), byHand.usage),
    requestLog,
    audit: storedAuditLog(access('audit')),
    simulations: storedSimulations(access('simulations')),
    environmentResets: storedEnvironmentResets(access('environmentResets'), requestLog),
    queries: () => engine.queries(),
  };
}

/** The changes of a store, each of which is made by its name. */
function bindChanges<Store extends keyof Changes>(
  store: Store,
  make: (change: NamedChange) => Promise<unknown>,
): BoundChanges<Changes[Store]> {
  const bound = Object.keys(CHANGES[store]).map((name) => [
    name,
    (...args: readonly unknown[]) => make({ store, name, args }),
  ]);
  // Each name makes the change of that name; `Object.fromEntries` loses which is which.
  return Object.fromEntries(bound) as BoundChanges<Changes[Store]>;
}

/** Makes a change inside of a transaction. */
export function applyChange(
  transaction: Transaction,
  { store, name, args }: NamedChange,
): Promise<unknown> {
  // `bindChanges` gave the names and checked the arguments; a message between threads loses their types.
  const changes = CHANGES[store as keyof Changes];
  return Reflect.apply(Reflect.get(changes, name), undefined, [transaction, ...args]);
}
