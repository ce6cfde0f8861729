import type { Account, ApiKey, BanRecord, Role } from '../core/accounts.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { PLAN_NAMES, subscribe } from '../core/plans.ts';

export interface AccountRow {
  id: string;
  email: string;
  role: Role;
  plan: string;
  per_minute: bigint | null;
  per_day: bigint | null;
  created_at: bigint;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  environment: Environment;
  name: string;
  prefix: string;
  last_four: string;
  created_at: bigint;
  expires_at: bigint | null;
  revoked_at: bigint | null;
  last_used_at: bigint | null;
}

export interface BanRow {
  id: string;
  key_id: string;
  account_id: string;
  environment: Environment;
  reason: string;
  level: bigint;
  starts_at: bigint;
  ends_at: bigint;
  lifted_at: bigint | null;
  lifted_by: string | null;
}

// Rows are remembered by the hundred thousand: what is alike in many of them is one text of ours, not
// as many of SQLite's.

/** @throws OperatorError when the row names a plan that this release does not know. */
export function accountFromRow(row: AccountRow): Account {
  const custom =
    row.per_minute === null || row.per_day === null
      ? undefined
      : { perMinute: Number(row.per_minute), perDay: Number(row.per_day) };
  return {
    id: row.id,
    email: row.email,
    role: row.role === 'operator' ? 'operator' : 'customer',
    ...subscribe(PLAN_NAMES.find((known) => known === row.plan) ?? row.plan, custom),
    createdAt: Number(row.created_at),
  };
}

export function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: ENVIRONMENTS.find((known) => known === row.environment) ?? row.environment,
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: Number(row.created_at),
    expiresAt: optionalTime(row.expires_at),
    revokedAt: optionalTime(row.revoked_at),
    lastUsedAt: optionalTime(row.last_used_at),
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

function optionalTime(value: bigint | null): number | undefined {
  return value === null ? undefined : Number(value);
}
