import type { Selectable } from 'kysely';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import type { ApiKey, AuthenticatedKey } from '../../core/keys/api-keys.ts';
import { type PlanColumns, subscriptionFromRow } from '../accounts/accounts.ts';
import { type SandboxColumns, sandboxFromRow } from '../sandbox/sandbox-rows.ts';
import type { Database } from '../schema/schema.ts';

type StoredKey = Selectable<Database['api_keys']>;

/** The columns of a key that requests need. */
export type KeyColumns = Pick<
  StoredKey,
  | ('id' | 'account_id' | 'environment' | 'expires_at' | 'revoked_at' | 'last_used_at')
  | ('chain_id' | 'simulate' | 'clock_offset')
>;

/** The columns of a key's account that requests need. */
export type AccountColumns = PlanColumns & Pick<Selectable<Database['accounts']>, 'suspended_at'>;

/** The columns that an API key is read from. */
export const KEY_COLUMNS = [
  ...(['id', 'account_id', 'environment', 'name', 'prefix', 'last_four', 'created_at'] as const),
  ...(['expires_at', 'revoked_at', 'last_used_at', 'chain_id'] as const),
  ...(['simulate', 'clock_offset', 'is_temporary', 'predecessor_id'] as const),
] as const;

export type ApiKeyRow = Pick<StoredKey, (typeof KEY_COLUMNS)[number]>;

/**
 * @param sandbox of the key's account; none for a production key.
 * @throws OperatorError when the plan of the row is unknown to this release.
 */
export function authenticatedKeyFromRow(
  key: KeyColumns,
  account: AccountColumns,
  sandbox: SandboxColumns | undefined,
): AuthenticatedKey {
  return {
    id: key.id,
    accountId: key.account_id,
    chainId: key.chain_id ?? key.id,
    environment: environmentFromRow(key),
    caller: `account:${key.account_id}`,
    expiresAt: key.expires_at ?? undefined,
    clockMoved: clockMoved(key, sandbox?.clock_offset),
    revokedAt: key.revoked_at ?? undefined,
    lastUsedAt: key.last_used_at ?? undefined,
    simulate: key.simulate ?? undefined,
    limits: subscriptionFromRow(account).limits,
    isSuspended: account.suspended_at !== null,
    sandbox: sandbox && sandboxFromRow(sandbox),
  };
}

/** @param clockOffset of the key's account; none for a production key. */
export function apiKeyFromRow(row: ApiKeyRow, clockOffset?: number): ApiKey {
  return {
    id: row.id,
    ...ownerFromRow(row, row.id),
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    clockMoved: clockMoved(row, clockOffset),
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    simulate: row.simulate ?? undefined,
    ...(row.is_temporary === 1 && { isTemporary: true }),
    predecessorId: row.predecessor_id ?? undefined,
  };
}

/**
 * The account, chain and environment of a key or of a row that belongs to a key.
 * @param keyId id of the key, which is also the id of its chain if the row has none.
 */
export function ownerFromRow(
  row: Pick<KeyColumns, 'account_id' | 'chain_id' | 'environment'>,
  keyId: string,
): Pick<ApiKey, 'accountId' | 'chainId' | 'environment'> {
  return {
    accountId: row.account_id,
    chainId: row.chain_id ?? keyId,
    environment: environmentFromRow(row),
  };
}

/** How far the account's clock was moved forward since the key was created; `undefined` if it was not. */
function clockMoved(key: Pick<KeyColumns, 'clock_offset'>, clockOffset = 0): number | undefined {
  const moved = clockOffset - key.clock_offset;
  return moved > 0 ? moved : undefined;
}

/** Keys are cached by the hundred thousand: share one string instead of keeping those of the database. */
function environmentFromRow({ environment }: Pick<KeyColumns, 'environment'>): Environment {
  return ENVIRONMENTS.find((known) => known === environment) ?? environment;
}
