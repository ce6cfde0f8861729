import type { Account } from '../../src/core/accounts/accounts.ts';
import { newId } from '../../src/core/ids.ts';
import type { ApiKey } from '../../src/core/keys/api-keys.ts';
import { ORDER_STATUSES } from '../../src/core/orders/orders.ts';
import { samplePet } from '../../src/core/pets/sample-pets.ts';
import type { LoggedRequest } from '../../src/core/requests/request-log.ts';
import { firstKeptHour, hourOf, type UsageRecord } from '../../src/core/requests/usage.ts';
import { chunks } from '../../src/lib/chunks.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { addOrder } from '../web/order-scene.ts';
import type { TestService } from './harness.ts';
import { usageRecord } from './usage-records.ts';

/* An account that has been in use for a month, for measurements. */

const DAYS = 30;
export const MONTH = {
  keys: 48,
  /** The requests in the log, which is kept for a week. */
  requests: 8_000,
  messages: 400,
  animals: 3_000,
  orders: 60,
} as const;

/** Keys that send requests; the others are not in use. */
const BUSY_KEYS = 12;

/** How long the request log is kept, in ms. */
const LOGGED = 7 * DAY;

const KEY_NAMES = ['Nightly import', 'Continuous integration', 'Shop', 'Load test', 'Laptop'];

type Service = Pick<TestService, 'stores' | 'clock'>;

/** Gives an account keys, requests, messages, animals and orders of the last 30 days. */
export async function fillMonth(service: Service, account: Account): Promise<void> {
  const keys = await addKeys(service, account);
  const busy = keys.slice(0, BUSY_KEYS);
  await addUsage(service, busy);
  await addRequests(service, busy);
  await addMessages(service, account.id);
  await addAnimals(service, account.id);
  for (let count = 0; count < MONTH.orders; count += 1) {
    const status = ORDER_STATUSES[count % ORDER_STATUSES.length] ?? 'placed';
    await addOrder(service, { accountId: account.id, name: samplePet(count).name, status });
  }
}

/** The keys in both environments, some of which expire or are revoked. */
async function addKeys({ stores, clock }: Service, account: Account): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (let count = 0; count < MONTH.keys; count += 1) {
    const { key } = await stores.apiKeyService.issue(
      account,
      {
        name: `${KEY_NAMES[count % KEY_NAMES.length]} ${count + 1}`,
        environment: count % 3 === 0 ? 'staging' : 'production',
        ...(count % 4 === 0 && { expiresAt: clock.now().wall + (count + 1) * DAY }),
      },
      account.email,
    );
    if (count % 6 === 5) await stores.apiKeyService.revoke(key.id, account.email);
    keys.push(key);
  }
  return keys;
}

/** Requests of each hour, to several operations. */
async function addUsage({ stores, clock }: Service, keys: readonly ApiKey[]): Promise<void> {
  const now = clock.now().wall;
  const hours = Array.from({ length: DAYS * 24 }, (_, hour) => hourOf(now) - hour);
  for (const some of chunks(hours, 24)) {
    await stores.usage.add(some.flatMap((hour) => keys.flatMap((key) => usageIn(hour, key))));
  }
  await stores.usage.addUpDays(firstKeptHour(now));
}

function usageIn(hour: number, { accountId, id, environment }: ApiKey): UsageRecord[] {
  return ['listPets', 'createPet', 'getPet', 'createOrder'].map((operation, index) =>
    usageRecord({
      ...{ accountId, environment, keyId: id, operation, hour },
      succeeded: Math.round(28 + 22 * Math.sin(hour / 4) + index * 3),
      ...{ clientErrors: hour % 4, notFound: hour % 4, limited: hour % 17 === 0 ? 14 : 0 },
      serverErrors: hour % 50 === 0 ? 1 : 0,
      durations: [0, 0, 9, 21 + (hour % 7), 6, 2, 1, 0, 0, 0, 1],
    }),
  );
}

async function addRequests({ stores, clock }: Service, keys: readonly ApiKey[]): Promise<void> {
  const now = clock.now().wall;
  const requests = Array.from({ length: MONTH.requests }, (_, index) => {
    const key = keys[index % keys.length];
    if (!key) throw new Error('There are no keys.');
    return requestAt(Math.floor(now - (index * LOGGED) / MONTH.requests), index, key);
  });
  for (const some of chunks(requests)) await stores.requestLog.add(some);
}

function requestAt(at: number, index: number, { accountId, id, environment }: ApiKey) {
  const isFailed = index % 7 === 0;
  const window = { limit: 300, remaining: 300 - (index % 300), resetIn: 20 };
  return {
    ...{ id: newId('req', at), accountId, at, requestId: newId('id', at), environment, keyId: id },
    method: 'GET',
    path: isFailed ? `/v1/pets/${100_000 + index}` : `/v1/pets?limit=20&after=${index}`,
    status: isFailed ? 404 : 200,
    code: isFailed ? 'pet_not_found' : undefined,
    message: isFailed ? 'There is no animal with this id.' : undefined,
    ...{ durationMicros: 180 + (index % 90), replyBytes: isFailed ? 120 : 1_400 },
    ...{ address: '192.0.2.7', userAgent: 'importer/1.4', simulation: undefined },
    ...{ isReplayed: false, notRecorded: 0 },
    limits: {
      ...{ limit: window.limit, remaining: window.remaining, reset: Math.ceil(at / 1_000) + 20 },
      ...{ minute: window, day: { limit: 10_000, remaining: 9_000, resetIn: 3_600 } },
      retryAfter: undefined,
    },
  } satisfies LoggedRequest;
}

async function addMessages({ stores, clock }: Service, accountId: string): Promise<void> {
  const now = clock.now().wall;
  const messages = Array.from({ length: MONTH.messages }, (_, count) => {
    const createdAt = Math.floor(now - (count * (DAYS * DAY - HOUR)) / MONTH.messages);
    const text = `${samplePet(count).name} has arrived, and would like to be fed at six.`;
    const id = newId('msg', createdAt);
    return { ...{ id, accountId, text, createdAt }, environment: 'production' } as const;
  });
  await Promise.all(
    messages.map((message) => stores.messages.enqueue({ ...message, deliveredAt: undefined })),
  );
  await stores.messages.deliver(now - MINUTE, MONTH.messages);
}

/** Half of them belong to the account. */
async function addAnimals({ stores }: Service, accountId: string): Promise<void> {
  const pets = Array.from({ length: MONTH.animals }, (_, index) => {
    return { ...samplePet(index), ...(index % 2 === 0 && { owner: accountId }) };
  });
  for (const some of chunks(pets)) {
    await stores.environment('production').pets.import(some);
    await stores.environment('staging').pets.import(some);
  }
}
