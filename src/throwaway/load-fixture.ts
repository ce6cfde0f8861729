import { newEmailProblem } from '../core/accounts/email-address.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { OperatorError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { IssuedKey } from '../core/keys/api-key-service.ts';
import type { AdjustableLimiter } from '../core/limits/adjustable-limiter.ts';
import { type BanRecord, newBanRecord } from '../core/limits/ban-records.ts';
import type { BanPolicy } from '../core/limits/bans.ts';
import type { Subscription } from '../core/limits/plans.ts';
import { resetEnvironments } from '../core/pets/environment-resets.ts';
import { chunks } from '../lib/chunks.ts';
import { type Clock, DAY, MINUTE, SECOND } from '../lib/clock.ts';
import { toInt64 } from '../lib/int64.ts';
import type { Stores } from '../storage/stores.ts';
import { type AdjustableClock, setFrom } from './adjustable-clock.ts';
import { DEFAULT_ACCOUNT, type Fixture } from './fixture.ts';
import { type FixtureAccount, subscriptionOf } from './fixture-accounts.ts';
import { DEFAULT_ORDER_STATUS, statusOf } from './fixture-orders.ts';

/** The actor of the fixture's changes in the audit log. */
const BY = 'fixture';

/** The keys of the default account, and of accounts that a test adds. */
const DEFAULT_KEYS = ENVIRONMENTS.map((environment) => ({ environment, name: 'default' }));

/** A key of a throwaway service. */
export interface FixtureKey {
  /** E-mail address of its account. */
  readonly account: string;
  readonly environment: Environment;
  readonly name: string;
  /** The text of the key. */
  readonly key: string;
}

/** An account that a test adds; by default a Free account with a unique address. */
export type NewAccount = Partial<Pick<FixtureAccount, 'email' | 'plan' | 'perMinute' | 'perDay'>>;

interface Destination {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly banPolicy: BanPolicy;
}

/** The accounts and keys that were made from a fixture. */
export interface Loaded {
  /** By e-mail address in lower case. */
  readonly accountIds: Map<string, string>;
  /** By the text of the key. */
  readonly issued: Map<string, IssuedKey>;
  /** The default account's keys, one of each environment, then those of the fixture. */
  readonly keys: FixtureKey[];
}

/**
 * Fills empty stores with a fixture, and with the default account, whose limits no test suite exhausts.
 */
export async function loadFixture(fixture: Fixture, into: Destination): Promise<Loaded> {
  const loaded = nothingLoaded();
  const { email, subscription } = DEFAULT_ACCOUNT;
  await addAccount({ email, keys: DEFAULT_KEYS }, subscription, into, loaded);
  for (const account of fixture.accounts ?? []) {
    await addAccount(account, subscriptionOf(account), into, loaded);
  }
  await addPets(fixture, into, loaded);
  await addMessages(fixture, into, loaded);
  await addBans(fixture, into, loaded);
  await addUsage(fixture, into, loaded);
  return loaded;
}

/**
 * Adds an account with a key for each environment, while the service runs.
 * @throws OperatorError when the address is taken, or the limits do not match the plan.
 */
export async function addNewAccount(
  { email = `account-${crypto.randomUUID()}@example.com`, ...plan }: NewAccount,
  into: Destination,
): Promise<readonly FixtureKey[]> {
  const problem = newEmailProblem(email);
  if (problem !== undefined) {
    throw new OperatorError(`"email" must be an e-mail address. ${problem}`);
  }
  const loaded = nothingLoaded();
  await addAccount({ email, keys: DEFAULT_KEYS }, subscriptionOf(plan), into, loaded);
  return loaded.keys;
}

function nothingLoaded(): Loaded {
  return { accountIds: new Map(), issued: new Map(), keys: [] };
}

async function addAccount(
  { email, role = 'customer', keys = [] }: FixtureAccount,
  subscription: Subscription,
  { stores, clock }: Destination,
  { accountIds, issued, keys: texts }: Loaded,
): Promise<void> {
  const now = clock.now().wall;
  const account = await stores.accounts.create(email, subscription, now, BY);
  if (!account) throw new OperatorError(`${email} has an account already.`);
  accountIds.set(email.toLowerCase(), account.id);
  if (role !== 'customer') await stores.accounts.setRole(account.id, role, now, BY);
  const requests = keys.map(({ environment = 'production', name = 'fixture', key, expiresAt }) => ({
    environment,
    name,
    text: key,
    expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt),
  }));
  const made = await Promise.all(
    requests.map((request) => stores.apiKeyService.issue(account, request, BY)),
  );
  for (const each of made) {
    issued.set(each.text, each);
    const { environment, name } = each.key;
    texts.push({ account: email, environment, name, key: each.text });
  }
}

async function addPets(
  { pets = {}, orders = {} }: Fixture,
  { stores, clock }: Destination,
  { accountIds }: Loaded,
): Promise<void> {
  const added = ENVIRONMENTS.map(async (environment) => {
    const list = pets[environment] ?? [];
    if (list.length === 0) return;
    const ordered = orders[environment] ?? [];
    const lastOrders = new Map(ordered.map((order) => [order.pet, order]));
    const store = stores.environment(environment);
    await store.pets.import(
      list.map((pet, index) => {
        const { name, categoryId, account } = pet;
        const owner = account === undefined ? undefined : idOf(accountIds, account);
        const status = statusOf(pet, lastOrders.get(index + 1));
        return { name, categoryId: toInt64(BigInt(categoryId)), status, owner };
      }),
    );
    await store.orders.import(
      ordered.map(({ account, pet, status = DEFAULT_ORDER_STATUS }) => {
        return { accountId: idOf(accountIds, account), petId: pet, status };
      }),
      clock.now(),
    );
  });
  await Promise.all(added);
}

async function addMessages(
  { messages = [] }: Fixture,
  { stores, clock }: Destination,
  { accountIds }: Loaded,
): Promise<void> {
  await inChunks(messages, ({ account, environment = 'production', message: text }) => {
    const createdAt = clock.now().wall;
    const accountId = idOf(accountIds, account);
    const id = newId('msg', createdAt);
    return stores.messages.enqueue({
      ...{ id, accountId, environment, text, createdAt },
      deliveredAt: undefined,
    });
  });
}

/** Stores the bans of the fixture, and returns them. */
async function addBans(
  { bans = [] }: Fixture,
  { stores, clock, banPolicy }: Destination,
  { issued }: Loaded,
): Promise<readonly BanRecord[]> {
  const records: BanRecord[] = [];
  for (const { key: text, seconds } of bans) {
    const key = issued.get(text)?.key;
    if (!key) throw new Error('The fixture bans a key that it does not hold.');
    const startsAt = clock.now().wall;
    const ban = { level: 1, startsAt, endsAt: startsAt + seconds * SECOND };
    const record = newBanRecord(key, key.environment, banPolicy, ban);
    // A fixture may ban a key several times at this moment.
    records.push({ ...record, id: newId('ban', startsAt), reason: 'Set by the fixture.' });
  }
  await inChunks(records, (record) => stores.bans.record(record));
  return records;
}

/** Stores items a chunk at a time, because the queue of writes refuses more than it holds. */
async function inChunks<Item>(
  items: readonly Item[],
  store: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (const chunk of chunks(items)) await Promise.all(chunk.map(store));
}

async function addUsage(
  { usage = [] }: Fixture,
  { stores, clock }: Destination,
  { accountIds }: Loaded,
): Promise<void> {
  const now = clock.now().wall;
  for (const { account, environment = 'production', minuteUsed = 0, dayUsed = 0 } of usage) {
    const caller = `account:${idOf(accountIds, account)}`;
    const quota = { caller, minuteEndsAt: now + MINUTE, minuteUsed, day: Math.floor(now / DAY) };
    await stores.environment(environment).quotas.save([{ ...quota, dayUsed }]);
  }
}

function idOf(accountIds: Loaded['accountIds'], email: string): string {
  const id = accountIds.get(email.toLowerCase());
  if (id === undefined) throw new Error(`The fixture has no account ${email}.`);
  return id;
}

interface RunningDestination extends Destination {
  readonly clock: AdjustableClock;
  readonly limiters: ReadonlyMap<Environment, AdjustableLimiter>;
}

/**
 * Resets a running service to its fixture; accounts and keys stay.
 * @param loaded the accounts and keys that were made from the fixture at the start.
 */
export async function resetToFixture(
  fixture: Fixture,
  loaded: Loaded,
  into: RunningDestination,
): Promise<void> {
  await empty(into);
  setFrom(into.clock, fixture.clock);
  await Promise.all([
    addPets(fixture, into, loaded),
    addMessages(fixture, into, loaded),
    restoreBans(fixture, into, loaded),
    restoreUsage(fixture, into, loaded),
  ]);
}

async function empty({ stores, clock, limiters }: RunningDestination): Promise<void> {
  // A ban that is not stored yet would be stored after the reset.
  await Promise.all([...limiters.values()].map((limiter) => limiter.recordBans()));
  await resetEnvironments(stores, ENVIRONMENTS, BY, clock.now().wall);
}

async function restoreBans(
  fixture: Fixture,
  into: RunningDestination,
  loaded: Loaded,
): Promise<void> {
  const bans = await addBans(fixture, into, loaded);
  const now = into.clock.now();
  await Promise.all(bans.map((ban) => into.limiters.get(ban.environment)?.restore([ban], now)));
}

async function restoreUsage(
  { usage = [] }: Fixture,
  { clock, limiters }: RunningDestination,
  { accountIds }: Loaded,
): Promise<void> {
  const restored = usage.map(async (used) => {
    const { account, environment = 'production', minuteUsed = 0, dayUsed = 0 } = used;
    const id = idOf(accountIds, account);
    const windows = { minute: minuteUsed, day: dayUsed };
    await limiters.get(environment)?.setUsed({ id, clockOffset: 0 }, windows, clock.now());
  });
  await Promise.all(restored);
}
