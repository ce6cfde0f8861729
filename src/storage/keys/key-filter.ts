import type { ExpressionBuilder } from 'kysely';
import type { KeyFilter } from '../../core/keys/api-keys.ts';
import type { Database } from '../schema/schema.ts';
import { containsText } from '../schema/selection.ts';

/**
 * The condition for keys that match a filter.
 * @param clockOffset how far the clock of the account is ahead in staging, in ms.
 */
export function matchesKeyFilter(
  where: ExpressionBuilder<Database, 'api_keys'>,
  { text, environment, live, isTemporary }: KeyFilter,
  clockOffset: number,
) {
  const conditions = [];
  if (text !== undefined) {
    const isInName = containsText(where, where.ref('name'), text);
    conditions.push(where.or([isInName, where('last_four', '=', text)]));
  }
  if (environment !== undefined) conditions.push(where('environment', '=', environment));
  if (live) {
    const isActive = where.and([
      isLive(where, live.now),
      hasNotExpiredEarlier(where, live.now + clockOffset),
    ]);
    conditions.push(live.is ? isActive : where.not(isActive));
  }
  if (isTemporary !== undefined) conditions.push(where('is_temporary', '=', isTemporary ? 1 : 0));
  return where.and(conditions);
}

/** Staging keys expire earlier by as much as the clock of their account was moved since they were created. */
function hasNotExpiredEarlier(where: ExpressionBuilder<Database, 'api_keys'>, now: number) {
  return where.or([
    where('environment', '<>', 'staging'),
    where('expires_at', 'is', null),
    where(where('expires_at', '+', where.ref('clock_offset')), '>', now),
  ]);
}

/** The condition for active keys. @param now epoch ms. */
export function isLive(where: ExpressionBuilder<Database, 'api_keys'>, now: number) {
  return where.and([
    where('revoked_at', 'is', null),
    where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]),
  ]);
}
