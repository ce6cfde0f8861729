import type { BanStore } from '../core/limits/ban-records.ts';
import { systemClock } from '../lib/clock.ts';
import type { Access, BoundChanges, Engine, NamedChange } from './access.ts';
import { accountChanges, storedAccounts } from './accounts/accounts.ts';
import { auditChanges, storedAuditLog } from './accounts/audit.ts';
import { secondFactorChanges } from './accounts/second-factor-changes.ts';
import { storedSecondFactors } from './accounts/second-factors.ts';
import { sessionChanges, storedSessions } from './accounts/sessions.ts';
import { storedUnfinishedDeletions } from './accounts/unfinished-deletions.ts';
import { ChangeLog } from './change-log.ts';
import { apiKeyChanges, StoredApiKeys } from './keys/api-keys.ts';
import { banChanges, StoredBans } from './keys/bans.ts';
import type { FindRow } from './keys/key-look-up.ts';
import { type MessageQueue, storedMessages } from './messages.ts';
import { environmentResetChanges, storedEnvironmentResets } from './pets/environment-resets.ts';
import { requestLogChanges, storedRequestLog } from './requests/request-log.ts';
import { StoredUsage, usageChanges } from './requests/usage.ts';
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

/** The look-ups and writes of requests that differ between the engines. */
export interface HotPathQueries {
  readonly findKey: FindRow;
  readonly messages: MessageQueue;
  /** Changes and reads the request log if it has its own file. */
  readonly requestLogFile?: Engine;
}

export type SharedStores = ReturnType<typeof sharedStores>;

/**
 * The stores that both engines share.
 * @param kinds records whether writes succeed.
 * @param deleteOrders deletes the orders of an account in every environment; without it there are none.
 */
export function sharedStores(
  unwatched: Engine,
  { findKey, messages, requestLogFile = unwatched }: HotPathQueries,
  kinds = new WriteKinds(systemClock),
  deleteOrders: (accountId: string) => Promise<void> = async () => {},
) {
  const engine = watched(unwatched, kinds);
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
  const requestLog = storedRequestLog({
    ...watched(requestLogFile, kinds),
    // No server caches the log, so there is nothing to apply after a change.
    changes: bindChanges('requestLog', (change) => requestLogFile.change(change)),
  });
  const bans: BanStore = new StoredBans(access('bans'));
  return {
    settings: storedSettings(engine),
    changes,
    accounts: storedAccounts(access('accounts'), {
      deleteOrders,
      forgetRequests: (id) => requestLog.forgetAccount(id),
    }),
    unfinishedDeletions: storedUnfinishedDeletions(engine),
    secondFactors: storedSecondFactors(access('secondFactors')),
    sessions: storedSessions(access('sessions')),
    keys: new StoredApiKeys(access('keys'), findKey),
    bans,
    sandboxes: storedSandboxes(access('sandboxes')),
    messages: storedMessages(engine, watchedQueue(messages, kinds)),
    usage: new StoredUsage(access('usage')),
    requestLog,
    audit: storedAuditLog(access('audit')),
    simulations: storedSimulations(access('simulations')),
    environmentResets: storedEnvironmentResets(access('environmentResets'), requestLog),
    queries: () => engine.queries(),
  };
}

/** The same engine, with the outcome of each change for many rows recorded. */
function watched(engine: Engine, kinds: WriteKinds): Engine {
  return {
    change: (change) => engine.change(change),
    queries: () => engine.queries(),
    rows: (selection, ...values) => engine.rows(selection, ...values),
    run: (sql, ...values) => engine.run(sql, ...values),
    runForRows: (statement, rows, batch) =>
      kinds.watch(statement.kind, engine.runForRows(statement, rows, batch)),
  };
}

/** The same queue, with the outcome of each write recorded. */
function watchedQueue(queue: MessageQueue, kinds: WriteKinds): MessageQueue {
  return {
    insert: (row) => kinds.watch('messages', queue.insert(row)),
    deliver: (...args) => kinds.watch('deliveries of messages', queue.deliver(...args)),
    encodeText: (text) => queue.encodeText(text),
    decodeText: (stored) => queue.decodeText(stored),
  };
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
