import type { Account, ApiKey, BanRecord, Role } from '../core/accounts.ts';
import type { Environment } from '../core/environments.ts';
import { subscribe } from '../core/plans.ts';

/**
 * Columns by name, never `*`: a release goes on beside the next one, which may have added some. Times
 * come as numbers.
 */
export const ACCOUNT_COLUMNS = `accounts.id, accounts.email, accounts.written_as, accounts.role,
  accounts.plan, accounts.per_minute::float8 AS per_minute, accounts.per_day::float8 AS per_day,
  accounts.created_at::float8 AS created_at`;

export interface AccountRow {
  id: string;
  email: string;
  written_as: string | null;
  role: Role;
  plan: string;
  per_minute: number | null;
  per_day: number | null;
  created_at: number;
}

export const API_KEY_COLUMNS = `id, account_id, environment, name, prefix, last_four,
  created_at::float8 AS created_at, expires_at::float8 AS expires_at,
  revoked_at::float8 AS revoked_at, last_used_at::float8 AS last_used_at`;

export interface ApiKeyRow {
  id: string;
  account_id: string;
  environment: Environment;
  name: string;
  prefix: string;
  last_four: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

export const BAN_COLUMNS = `id, key_id, account_id, environment, reason, level::float8 AS level,
  starts_at::float8 AS starts_at, ends_at::float8 AS ends_at, lifted_at::float8 AS lifted_at,
  lifted_by`;

export interface BanRow {
  id: string;
  key_id: string;
  account_id: string;
  environment: Environment;
  reason: string;
  level: number;
  starts_at: number;
  ends_at: number;
  lifted_at: number | null;
  lifted_by: string | null;
}

/** @throws OperatorError when the row names a plan that this release does not know. */
export function accountFromRow(row: AccountRow): Account {
  const custom =
    row.per_minute === null || row.per_day === null
      ? undefined
      : { perMinute: row.per_minute, perDay: row.per_day };
  return {
    id: row.id,
    email: spellingOf(row),
    role: row.role,
    ...subscribe(row.plan, custom),
    createdAt: row.created_at,
  };
}

/** The address as its holder writes it. */
export function spellingOf({ email, written_as }: AccountRow): string {
  // Whoever changes the address by signing in leaves the old spelling behind.
  return written_as?.toLowerCase() === email ? written_as : email;
}

export function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

export function banFromRow(row: BanRow): BanRecord {
  return {
    id: row.id,
    keyId: row.key_id,
    accountId: row.account_id,
    environment: row.environment,
    reason: row.reason,
    level: row.level,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    liftedAt: row.lifted_at ?? undefined,
    liftedBy: row.lifted_by ?? undefined,
  };
}
