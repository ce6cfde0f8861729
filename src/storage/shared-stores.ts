import type { BanStore } from '../core/limits/ban-records.ts';
import { systemClock } from '../lib/clock.ts';
import type { Access, BoundChanges, Engine, NamedChange } from './access.ts';
import { accountChanges, storedAccounts } from './accounts/accounts.ts';
import { auditChanges, storedAuditLog } from './accounts/audit.ts';
import { secondFactorChanges } from './accounts/second-factor-changes.ts';
import { storedSecondFactors } from './accounts/second-factors.ts';
import { sessionChanges, storedSessions } from './accounts/sessions.ts';
import { ChangeLog } from './change-log.ts';
import { apiKeyChanges, type KeyUses, StoredApiKeys } from './keys/api-keys.ts';
import { banChanges, StoredBans } from './keys/bans.ts';
import { type MessageQueue, storedMessages } from './messages.ts';
import { environmentResetChanges, storedEnvironmentResets } from './pets/environment-resets.ts';
import { type AddRequests, requestLogChanges, storedRequestLog } from './requests/request-log.ts';
import { StoredUsage, type UsageBatches, usageChanges } from './requests/usage.ts';
import { sandboxChanges, storedSandboxes } from './sandbox/sandboxes.ts';
import { simulationChanges, storedSimulations } from './sandbox/simulations.ts';
import type { Transaction } from './schema/schema.ts';
import { storedSettings } from './settings.ts';
import { WriteKinds } from './write-kinds.ts';

/** The changes of the stores that both engines share. */
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

/** Operations of the request path, written for each engine without Kysely. */
export interface HotPathQueries {
  readonly keys: KeyUses;
  readonly messages: MessageQueue;
  readonly usage: UsageBatches;
  readonly addRequests: AddRequests;
  /** Changes and reads the request log if it has its own file. */
  readonly requestLogFile?: Engine;
}

export type SharedStores = ReturnType<typeof sharedStores>;

/**
 * The stores that both engines share.
 * @param kinds records whether writes succeed.
 */
export function sharedStores(
  engine: Engine,
  hotPathQueries: HotPathQueries,
  kinds = new WriteKinds(systemClock),
) {
  const hotPath = watched(hotPathQueries, kinds);
  const changes = new ChangeLog(engine);
  const make = async (change: NamedChange) => {
    const result = await kinds.watch(`changes of ${change.store}`, engine.change(change));
    await changes.applyOwnChanges();
    return result;
  };
  const access = <Store extends keyof Changes>(store: Store): Access<Changes[Store]> => ({
    ...engine,
    changes: bindChanges(store, make),
  });
  const { addRequests, requestLogFile = engine } = hotPath;
  const requestLog = storedRequestLog(
    {
      // No server caches the log, so there is nothing to apply after a change.
      changes: bindChanges('requestLog', (change) => requestLogFile.change(change)),
      queries: () => requestLogFile.queries(),
      rows: (selection, ...values) => requestLogFile.rows(selection, ...values),
      run: (sql, ...values) => requestLogFile.run(sql, ...values),
    },
    addRequests,
  );
  const bans: BanStore = new StoredBans(access('bans'));
  return {
    settings: storedSettings(engine),
    changes,
    accounts: storedAccounts(access('accounts'), (id) => requestLog.forgetAccount(id)),
    secondFactors: storedSecondFactors(access('secondFactors')),
    sessions: storedSessions(access('sessions')),
    keys: new StoredApiKeys(access('keys'), hotPath.keys),
    bans,
    sandboxes: storedSandboxes(access('sandboxes')),
    messages: storedMessages(engine, hotPath.messages),
    usage: new StoredUsage(access('usage'), hotPath.usage),
    requestLog,
    audit: storedAuditLog(access('audit')),
    simulations: storedSimulations(access('simulations')),
    environmentResets: storedEnvironmentResets(access('environmentResets'), requestLog),
    queries: () => engine.queries(),
  };
}

/** The same operations, with the outcome of each write recorded. */
function watched(
  { keys, messages, usage, addRequests, ...rest }: HotPathQueries,
  kinds: WriteKinds,
) {
  return {
    ...rest,
    keys: {
      findByDigest: (...args) => keys.findByDigest(...args),
      touch: (uses) => kinds.watch('saves of last uses', keys.touch(uses)),
    },
    messages: {
      enqueue: (...args) => kinds.watch('messages', messages.enqueue(...args)),
      deliver: (...args) => kinds.watch('deliveries of messages', messages.deliver(...args)),
      decodeText: (stored) => messages.decodeText(stored),
    },
    usage: {
      add: (...args) => kinds.watch('saves of usage', usage.add(...args)),
      pruneMarks: async (hour) => usage.pruneMarks?.(hour),
    },
    addRequests: (requests) => kinds.watch('saves of the request log', addRequests(requests)),
  } satisfies HotPathQueries;
}

/** The changes of a store, each run by its name. */
function bindChanges<Store extends keyof Changes>(
  store: Store,
  make: (change: NamedChange) => Promise<unknown>,
): BoundChanges<Changes[Store]> {
  const bound = Object.keys(CHANGES[store]).map((name) => [
    name,
    (...args: readonly unknown[]) => make({ store, name, args }),
  ]);
  // Each name is mapped to its own change, but `Object.fromEntries` does not keep these types.
  return Object.fromEntries(bound) as BoundChanges<Changes[Store]>;
}

/** Runs a change within a transaction. */
export function applyChange(
  transaction: Transaction,
  { store, name, args }: NamedChange,
): Promise<unknown> {
  // `bindChanges` checked the name and the arguments; their types are lost in messages between threads.
  const changes = CHANGES[store as keyof Changes];
  return Reflect.apply(Reflect.get(changes, name), undefined, [transaction, ...args]);
}
