import type { ExpressionBuilder } from 'kysely';
import type { KeyFilter } from '../../core/api-keys.ts';
import type { Database } from '../schema/schema.ts';

/**
 * The condition for keys that match a filter.
 * @param clockOffset how far the clock of the account is ahead in staging, in ms.
 */
export function keysMeant(
  where: ExpressionBuilder<Database, 'api_keys'>,
  { text, environment, live }: KeyFilter,
  clockOffset: number,
) {
  const conditions = [];
  if (text !== undefined) conditions.push(containsText(where, text));
  if (environment !== undefined) conditions.push(where('environment', '=', environment));
  if (live) {
    const isMeant = where.and([
      isLive(where, live.now),
      hasNotExpiredEarlier(where, live.now + clockOffset),
    ]);
    conditions.push(live.is ? isMeant : where.not(isMeant));
  }
  return where.and(conditions);
}

/** Removing the text changes a name only if it contains the text. LIKE has wildcards. */
function containsText(where: ExpressionBuilder<Database, 'api_keys'>, text: string) {
  const { fn, ref, val } = where;
  const name = fn<string>('lower', [ref('name')]);
  const rest = fn<string>('replace', [name, fn('lower', [val(text)]), val('')]);
  return where.or([where(rest, '<>', name), where('last_four', '=', text)]);
}

/** Staging keys expire earlier by as much as the clock of their account was moved since they were created. */
function hasNotExpiredEarlier(where: ExpressionBuilder<Database, 'api_keys'>, now: number) {
  return where.or([
    where('environment', '<>', 'staging'),
    where('expires_at', 'is', null),
    where(where('expires_at', '+', where.ref('clock_offset')), '>', now),
  ]);
}

/** The condition for live keys. @param now epoch ms. */
export function isLive(where: ExpressionBuilder<Database, 'api_keys'>, now: number) {
  return where.and([
    where('revoked_at', 'is', null),
    where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]),
  ]);
}
