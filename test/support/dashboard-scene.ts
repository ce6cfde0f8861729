import { expect } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import type { Subscription } from '../../src/core/limits/plans.ts';
import type {
  DashboardErrorCode,
  ErrorBody,
  IssuedKeyInfo,
  KeyInfo,
  KeyPage,
  MessageInfo,
  NewKey,
} from '../../src/dashboard/shared/api.ts';
import type { UsageBucket, UsageInfo, UsageReport } from '../../src/dashboard/shared/usage.ts';
import { Visitor } from './dashboard-visitor.ts';
import { AMPLE, ManualClock, TestService } from './harness.ts';

/** A service with all parts, on a manual clock. */
export interface DashboardScene extends AsyncDisposable {
  readonly service: TestService;
  readonly clock: ManualClock;
}

/** @param settings by name, such as PETSTORE_BAN_AFTER. */
export async function dashboardScene(
  settings: Readonly<Record<string, string>> = {},
  clock = new ManualClock(),
): Promise<DashboardScene> {
  const service = await TestService.start({ parts: PARTS, clock, settings });
  return { service, clock, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** A new visitor with this subscription, signed in. */
export async function customer(
  service: TestService,
  subscription: Subscription = AMPLE,
  email?: string,
): Promise<Visitor> {
  const visitor = await Visitor.signUp(service, email);
  const { accounts } = service.stores;
  await accounts.setSubscription(visitor.accountId, subscription, Date.now(), 'test');
  return visitor;
}

/** A new visitor with the operator role, signed in. */
export async function operator(service: TestService): Promise<Visitor> {
  const visitor = await Visitor.signUp(service);
  await service.stores.accounts.setRole(visitor.accountId, 'operator', Date.now(), 'test');
  // The new role ends the session.
  await visitor.signIn();
  return visitor;
}

/** A new key of a signed-in visitor, created in the dashboard. */
export function createKey(visitor: Visitor, wishes: Partial<NewKey> = {}): Promise<IssuedKeyInfo> {
  const body: NewKey = { name: 'test', environment: 'production', ...wishes };
  return visitor.json('POST', '/api/keys', body);
}

/** All keys of a signed-in visitor, from every page of the list. */
export async function keysOf(visitor: Visitor): Promise<readonly KeyInfo[]> {
  const all: KeyInfo[] = [];
  for (let from: string | null = ''; from !== null; ) {
    const path: string = from === '' ? '/api/keys' : `/api/keys?from=${from}`;
    const { keys, next } = await visitor.json<KeyPage>('GET', path);
    all.push(...keys);
    from = next;
  }
  return all;
}

/** The inbox of a signed-in visitor. */
export async function messagesOf(visitor: Visitor): Promise<readonly MessageInfo[]> {
  const path = '/api/messages';
  const { messages } = await visitor.json<{ messages: readonly MessageInfo[] }>('GET', path);
  return messages;
}

/** The remaining requests, and the usage of the last 24 hours and 30 days. */
export async function usageOf(visitor: Visitor): Promise<UsageInfo & Charts> {
  const info = await visitor.json<UsageInfo>('GET', '/api/usage');
  const { buckets: hours } = await reportOf(visitor, 'last=24h');
  const { buckets: days } = await reportOf(visitor, 'last=30d');
  return { ...info, hours, days };
}

export interface Charts {
  readonly hours: readonly UsageBucket[];
  readonly days: readonly UsageBucket[];
}

/** @param query the query of GET /api/usage/requests. */
export function reportOf(visitor: Visitor, query: string): Promise<UsageReport> {
  return visitor.json('GET', `/api/usage/requests?${query}`);
}

/** Checks an error reply of the dashboard's API, and returns its message. */
export async function expectRefusal(
  reply: Response,
  status: number,
  code: DashboardErrorCode,
): Promise<string> {
  const { message, ...rest }: ErrorBody = await reply.json();
  expect([reply.status, rest]).toEqual([status, { code, status }]);
  expect(message).toMatch(/^\S.*\.$/);
  expect(reply.headers.get('Cache-Control')).toBe('no-store');
  return message;
}

/** Sends a message through the quickstart; returns its id. */
export async function sendMessage(
  service: TestService,
  key: string,
  message: string,
): Promise<string> {
  const reply = await fetch(`${service.url('quickstart')}/messages`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  const { id }: { id: string } = await reply.json();
  return id;
}
