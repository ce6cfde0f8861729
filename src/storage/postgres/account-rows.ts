import type { Account } from '../../core/accounts.ts';
import { type AccountRow, accountFromRow } from '../rows.ts';

/**
 * Columns by name, never `*`: a release goes on beside the next one, which may have added some. Times
 * come as numbers.
 */
export const ACCOUNT_COLUMNS = `accounts.id, accounts.email, accounts.written_as, accounts.role,
  accounts.plan, accounts.per_minute::float8 AS per_minute, accounts.per_day::float8 AS per_day,
  accounts.created_at::float8 AS created_at`;

export const API_KEY_COLUMNS = `id, account_id, environment, name, prefix, last_four,
  created_at::float8 AS created_at, expires_at::float8 AS expires_at,
  revoked_at::float8 AS revoked_at, last_used_at::float8 AS last_used_at`;

export const BAN_COLUMNS = `id, key_id, account_id, environment, reason, level::float8 AS level,
  starts_at::float8 AS starts_at, ends_at::float8 AS ends_at, lifted_at::float8 AS lifted_at,
  lifted_by`;

/** Addresses are kept in small letters, beside how their holders write them. */
export interface SpelledAccountRow extends AccountRow {
  written_as: string | null;
}

/** @throws OperatorError when the row names a plan that this release does not know. */
export function spelledAccountFromRow(row: SpelledAccountRow): Account {
  return accountFromRow({ ...row, email: spellingOf(row) });
}

/** The address as its holder writes it. */
export function spellingOf({
  email,
  written_as,
}: Pick<SpelledAccountRow, 'email' | 'written_as'>): string {
  // Whoever changes the address by signing in leaves the old spelling behind.
  return written_as?.toLowerCase() === email ? written_as : email;
}
