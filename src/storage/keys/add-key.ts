import type { Actor } from '../../core/accounts/audit.ts';
import type { ApiKey, KeyBounds, KeyInsertion, NewApiKey } from '../../core/keys/api-keys.ts';
import { DAY } from '../../lib/clock.ts';
import type { Transaction } from '../schema/schema.ts';
import { isLive } from './key-filter.ts';

export interface NewKey {
  readonly key: NewApiKey;
  /** In hexadecimal digits. */
  readonly digest: string;
  readonly bounds: KeyBounds;
  /** Epoch ms. */
  readonly now: number;
  readonly by: Actor;
}

/** @param now epoch ms. */
export function liveKeys(queries: Pick<Transaction, 'selectFrom'>, now: number) {
  return queries.selectFrom('api_keys').where((where) => isLive(where, now));
}

/** How far the clock of the key's account is ahead, in ms; 0 in production. */
export async function clockOffsetOf(
  queries: Pick<Transaction, 'selectFrom'>,
  { accountId, environment }: Pick<ApiKey, 'accountId' | 'environment'>,
): Promise<number> {
  if (environment !== 'staging') return 0;
  const row = await queries
    .selectFrom('sandboxes')
    .select('clock_offset')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.clock_offset ?? 0;
}

/** Adds a key unless the account has reached a bound. */
export async function addKey(
  transaction: Transaction,
  { key, digest, bounds, now }: NewKey,
): Promise<KeyInsertion> {
  const { live } = await liveKeys(transaction, now)
    .where('account_id', '=', key.accountId)
    .select((select) => select.fn.countAll<number>().as('live'))
    .executeTakeFirstOrThrow();
  if (live >= bounds.live) return 'too_many';
  if (bounds.perDay !== undefined) {
    const { made } = await transaction
      .selectFrom('api_keys')
      .where('account_id', '=', key.accountId)
      .where('created_at', '>=', Math.floor(now / DAY) * DAY)
      .select((select) => select.fn.countAll<number>().as('made'))
      .executeTakeFirstOrThrow();
    if (made >= bounds.perDay) return 'too_many_today';
  }
  await transaction
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: key.accountId,
      environment: key.environment,
      name: key.name,
      digest: Buffer.from(digest, 'hex'),
      secret_id: key.secretId ?? null,
      prefix: key.prefix,
      last_four: key.lastFour,
      created_at: key.createdAt,
      expires_at: key.expiresAt ?? null,
      chain_id: key.chainId,
      simulate: key.simulate ?? null,
      is_temporary: key.isTemporary ? 1 : 0,
      predecessor_id: key.predecessorId ?? null,
      clock_offset: await clockOffsetOf(transaction, key),
    })
    .execute();
  return 'added';
}
