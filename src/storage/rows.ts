import type { Account, Role } from '../core/accounts.ts';
import type { ApiKey, AuthenticatedKey } from '../core/api-keys.ts';
import type { AuditAction, AuditRecord } from '../core/audit.ts';
import type { BanRecord } from '../core/ban-records.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import type { Message } from '../core/messages.ts';
import { PLAN_NAMES, type Subscription, subscribe } from '../core/plans.ts';
import type { UsageRecord } from '../core/usage.ts';

/** A whole number that a double holds exactly, in the form in which the database gives it. */
type Integer = number | bigint;

export interface AccountRow {
  id: string;
  email: string;
  role: Role;
  plan: string;
  per_minute: Integer | null;
  per_day: Integer | null;
  created_at: Integer;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  environment: Environment;
  name: string;
  prefix: string;
  last_four: string;
  created_at: Integer;
  expires_at: Integer | null;
  revoked_at: Integer | null;
  last_used_at: Integer | null;
}

/** What of a key goes into a credential. */
export type KeyPart = Pick<
  ApiKeyRow,
  'id' | 'account_id' | 'environment' | 'expires_at' | 'revoked_at' | 'last_used_at'
>;

/** What of an account does. */
export type PlanPart = Pick<AccountRow, 'plan' | 'per_minute' | 'per_day'>;

export interface BanRow {
  id: string;
  key_id: string;
  account_id: string;
  environment: Environment;
  reason: string;
  level: Integer;
  starts_at: Integer;
  ends_at: Integer;
  lifted_at: Integer | null;
  lifted_by: string | null;
}

export interface MessageRow {
  id: string;
  account_id: string;
  environment: Environment;
  text: string;
  created_at: Integer;
  delivered_at: Integer | null;
}

export interface UsageRow {
  account_id: string;
  environment: Environment;
  hour: Integer;
  succeeded: Integer;
  client_errors: Integer;
  limited: Integer;
  server_errors: Integer;
}

export interface AuditRow {
  number: Integer;
  at: Integer;
  actor: string;
  action: AuditAction;
  account_id: string;
  detail: string;
}

// Rows are remembered by the hundred thousand: what is alike in many of them is one text of ours, not
// as many of the database's.

/** @throws OperatorError when the row names a plan that this release does not know. */
export function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    role: row.role === 'operator' ? 'operator' : 'customer',
    ...subscriptionFromRow(row),
    createdAt: Number(row.created_at),
  };
}

export function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentFromRow(row),
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: Number(row.created_at),
    expiresAt: optionalTime(row.expires_at),
    revokedAt: optionalTime(row.revoked_at),
    lastUsedAt: optionalTime(row.last_used_at),
  };
}

/** @throws OperatorError when the row names a plan that this release does not know. */
export function credentialFromRow(key: KeyPart, plan: PlanPart): AuthenticatedKey {
  return {
    id: key.id,
    accountId: key.account_id,
    caller: `account:${key.account_id}`,
    environment: environmentFromRow(key),
    expiresAt: optionalTime(key.expires_at),
    revokedAt: optionalTime(key.revoked_at),
    lastUsedAt: optionalTime(key.last_used_at),
    limits: subscriptionFromRow(plan).limits,
  };
}

export function banFromRow(row: BanRow): BanRecord {
  return {
    id: row.id,
    keyId: row.key_id,
    accountId: row.account_id,
    environment: row.environment,
    reason: row.reason,
    level: Number(row.level),
    startsAt: Number(row.starts_at),
    endsAt: Number(row.ends_at),
    liftedAt: optionalTime(row.lifted_at),
    liftedBy: row.lifted_by ?? undefined,
  };
}

export function messageFromRow(row: MessageRow): Message {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    text: row.text,
    createdAt: Number(row.created_at),
    deliveredAt: optionalTime(row.delivered_at),
  };
}

export function usageFromRow(row: UsageRow): UsageRecord {
  return {
    accountId: row.account_id,
    environment: row.environment,
    hour: Number(row.hour),
    succeeded: Number(row.succeeded),
    clientErrors: Number(row.client_errors),
    limited: Number(row.limited),
    serverErrors: Number(row.server_errors),
  };
}

export function auditFromRow(row: AuditRow): AuditRecord {
  return {
    number: Number(row.number),
    at: Number(row.at),
    by: row.actor,
    action: row.action,
    accountId: row.account_id,
    detail: row.detail,
  };
}

function subscriptionFromRow(row: PlanPart): Subscription {
  const custom =
    row.per_minute === null || row.per_day === null
      ? undefined
      : { perMinute: Number(row.per_minute), perDay: Number(row.per_day) };
  return subscribe(PLAN_NAMES.find((known) => known === row.plan) ?? row.plan, custom);
}

function environmentFromRow({ environment }: Pick<ApiKeyRow, 'environment'>): Environment {
  return ENVIRONMENTS.find((known) => known === environment) ?? environment;
}

function optionalTime(value: Integer | null): number | undefined {
  return value === null ? undefined : Number(value);
}
