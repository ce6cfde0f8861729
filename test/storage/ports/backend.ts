import { describe } from 'bun:test';
import type { Account, AccountStore } from '../../../src/core/accounts/accounts.ts';
import type { AuditLog } from '../../../src/core/accounts/audit.ts';
import type { SecondFactorStore } from '../../../src/core/accounts/second-factors.ts';
import type { Environment } from '../../../src/core/environments.ts';
import { newId } from '../../../src/core/ids.ts';
import type { ApiKey, ApiKeyStore } from '../../../src/core/keys/api-keys.ts';
import type { BanRecord, BanStore } from '../../../src/core/limits/ban-records.ts';
import { type Subscription, subscribe } from '../../../src/core/limits/plans.ts';
import type { QuotaStore } from '../../../src/core/limits/quota.ts';
import type { Message, MessageStore } from '../../../src/core/messages/messages.ts';
import type { OrderStore } from '../../../src/core/orders/order-store.ts';
import type { EnvironmentResets } from '../../../src/core/pets/environment-resets.ts';
import type { PetStore } from '../../../src/core/pets/pet-store.ts';
import type { NewPet } from '../../../src/core/pets/pets.ts';
import type { RequestLogStore } from '../../../src/core/requests/request-log.ts';
import type { UsageStore } from '../../../src/core/requests/usage.ts';
import type { SandboxStore } from '../../../src/core/sandbox/sandbox-store.ts';
import type { SimulationStore } from '../../../src/core/sandbox/simulations.ts';
import type { Settings } from '../../../src/core/settings.ts';
import { HOUR } from '../../../src/lib/clock.ts';
import type { SharedStores } from '../../../src/storage/shared-stores.ts';

/** The stores of one database of any kind. */
export interface Backend extends AsyncDisposable {
  readonly accounts: AccountStore;
  readonly unfinishedDeletions: SharedStores['unfinishedDeletions'];
  readonly secondFactors: SecondFactorStore;
  readonly keys: ApiKeyStore;
  readonly bans: BanStore;
  readonly settings: Settings;
  readonly changes: SharedStores['changes'];
  readonly messages: MessageStore;
  readonly usage: UsageStore;
  readonly requestLog: RequestLogStore;
  readonly audit: AuditLog;
  readonly simulations: SimulationStore;
  readonly sandboxes: SandboxStore;
  readonly environmentResets: EnvironmentResets;
  readonly queries: SharedStores['queries'];
  pets(environment?: Environment): PetStore;
  orders(environment?: Environment): OrderStore;
  quotas(environment?: Environment): QuotaStore;
  /** Deletes the pets, orders, idempotent requests and saved quotas of an environment. */
  resetEnvironment(environment: Environment): Promise<void>;
  /** Runs SQL without the stores, on the tables of the accounts or of production. */
  run(file: 'accounts' | 'production', sql: string): Promise<void>;
  /** The same data with other connections, like in another process. */
  another(): Promise<Backend>;
}

/** Tells whether an account exists, as pet stores ask. */
export function accountFinder({ accounts }: Pick<Backend, 'accounts'>) {
  return async (id: string) => (await accounts.find(id)) !== undefined;
}

/** Opens an empty backend. */
export type OpenBackend = () => Promise<Backend>;

/**
 * Makes the tests of a store, for every database.
 * @param parts define the tests, which open their own backends.
 */
export function portSuite(
  title: string,
  ...parts: ReadonlyArray<(open: OpenBackend) => void>
): (open: OpenBackend) => void {
  return (open) =>
    describe(title, () => {
      for (const part of parts) part(open);
    });
}

/** Noon of 2 January 2027, UTC. */
export const NOON = Date.UTC(2027, 0, 2, 12);

/** The moment this many ms after noon. */
export function at(milliseconds = 0) {
  return { wall: NOON + milliseconds, elapsed: 1_000_000 + milliseconds };
}

export function pet(name: string, fields: Partial<NewPet> = {}): NewPet {
  return { name, categoryId: 1, status: 'available', ...fields };
}

/** Adds an account to the store. */
export async function account(
  { accounts }: Pick<Backend, 'accounts'>,
  email = 'owner@example.com',
  subscription: Subscription = subscribe('free'),
): Promise<Account> {
  const created = await accounts.create(email, subscription, NOON, 'test');
  if (!created) throw new Error(`${email} is taken`);
  return created;
}

/** A message that waits to be delivered. */
export function message(accountId: string, fields: Partial<Message> = {}): Message {
  return {
    id: newId('msg', NOON),
    accountId,
    keyId: 'key_of_the_message',
    environment: 'production',
    text: 'Hello!',
    createdAt: NOON,
    deliveredAt: undefined,
    ...fields,
  };
}

let digests = 0;

/** A unique digest. */
export function digest(): Buffer {
  digests += 1;
  return Buffer.from(String(digests).padStart(32, '0'));
}

export function apiKey(accountId: string, fields: Partial<ApiKey> = {}): ApiKey {
  const id = newId('key', NOON);
  return {
    id,
    accountId,
    chainId: id,
    environment: 'production',
    name: 'test',
    prefix: 'pst_live_',
    lastFour: 'wxyz',
    createdAt: NOON,
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedAt: undefined,
    simulate: undefined,
    ...fields,
  };
}

/** Adds a key to the store, with ample limits for the number of keys. */
export async function keptKey(
  { keys }: Backend,
  accountId: string,
  fields: Partial<ApiKey> = {},
): Promise<ApiKey> {
  const key = apiKey(accountId, fields);
  if ((await keys.insert(key, digest(), { live: 100 }, NOON, 'test')) !== 'added')
    throw new Error('too many keys');
  return key;
}

export function ban(key: ApiKey, fields: Partial<BanRecord> = {}): BanRecord {
  return {
    id: newId('ban', NOON),
    keyId: key.id,
    chainId: key.chainId,
    accountId: key.accountId,
    environment: key.environment,
    reason: 'Sent 10 more requests after a 429.',
    level: 1,
    startsAt: NOON,
    endsAt: NOON + HOUR,
    liftedAt: undefined,
    liftedBy: undefined,
    ...fields,
  };
}
