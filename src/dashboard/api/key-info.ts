import { type ApiKey, type ApiKeyStore, expiryOf, keyState } from '../../core/keys/api-keys.ts';
import type { BanRecord } from '../../core/limits/ban-records.ts';
import { DAY } from '../../lib/clock.ts';
import type { KeyInfo, KeyLink, KeyStateInfo } from '../shared/api.ts';

/** A key that expires within this many ms is shown as expiring. */
const EXPIRING_WITHIN = 7 * DAY;
/** An active key that has not been used for this many ms is shown as unused. */
const UNUSED_AFTER = 90 * DAY;

/** The predecessors and successors of rotated keys, by the id of the key. */
interface KeyLinks {
  readonly predecessors: ReadonlyMap<string, KeyLink>;
  readonly successors: ReadonlyMap<string, KeyLink>;
}

/** The predecessors and successors of keys of one account. May raise `StorageUnavailable`. */
export async function linksOf(
  store: ApiKeyStore,
  accountId: string,
  keys: readonly ApiKey[],
): Promise<KeyLinks> {
  const earlier = keys.flatMap(({ predecessorId }) => predecessorId ?? []);
  const [found, later] = await Promise.all([
    store.findAll([...new Set(earlier)]),
    store.successors(
      accountId,
      keys.map(({ id }) => id),
    ),
  ]);
  const own = found.filter((key) => key.accountId === accountId);
  return {
    predecessors: new Map(own.map((key) => [key.id, keyLink(key)])),
    // If a key has several successors, the latest one comes last and wins.
    successors: new Map(later.map((key) => [key.predecessorId ?? '', keyLink(key)])),
  };
}

export function keyLink({ id, name, lastFour }: ApiKey): KeyLink {
  return { id, name, lastFour };
}

/** A key as its holder sees it. @param ban the active ban of its chain. @param now epoch ms. */
export function keyInfo(
  key: ApiKey,
  ban: BanRecord | undefined,
  { predecessors, successors }: KeyLinks,
  now: number,
): KeyInfo {
  const { id, environment, name, prefix, lastFour, createdAt } = key;
  const state = stateOf(key, ban, now);
  return {
    id,
    environment,
    name,
    prefix,
    lastFour,
    createdAt,
    expiresAt: key.expiresAt ?? null,
    revokedAt: key.revokedAt ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
    state,
    ban: ban && state === 'banned' ? { until: ban.endsAt, reason: ban.reason } : null,
    isUnused: keyState(key, now) === 'active' && now - lastUseOf(key) > UNUSED_AFTER,
    predecessor: predecessors.get(key.predecessorId ?? '') ?? null,
    successor: successors.get(id) ?? null,
    simulate: key.simulate ?? null,
    ...(key.isTemporary && { isTemporary: true }),
  };
}

/** For a key that was never used: the time of its creation. */
function lastUseOf({ createdAt, lastUsedAt }: ApiKey): number {
  return lastUsedAt ?? createdAt;
}

/** A revoked or expired key is not shown as banned: it would not work after the ban either. */
function stateOf(key: ApiKey, ban: BanRecord | undefined, now: number): KeyStateInfo {
  const state = keyState(key, now);
  if (state !== 'active') return state;
  if (ban) return 'banned';
  const expiresAt = expiryOf(key);
  const isExpiring = expiresAt !== undefined && expiresAt - now <= EXPIRING_WITHIN;
  return isExpiring ? 'expiring' : 'active';
}
