import { type ApiKey, keyState } from '../../core/keys/api-keys.ts';
import type { BanRecord } from '../../core/limits/ban-records.ts';
import type { DashboardStores } from '../options.ts';
import type { BanNotice } from '../shared/usage.ts';
import { keyLink } from './key-info.ts';
import { onAccount } from './of-account.ts';
import { json } from './replies.ts';
import type { AccountContext } from './route.ts';

/** Maximum number of bans that are read for an account. */
const MAX_BANS = 1_000;

export const banRoutes = onAccount('/bans', list);

/** The active bans of the account. */
async function list({ options, account }: AccountContext): Promise<Response> {
  const { stores, clock } = options;
  const { banned } = await liveKeys(stores, account.id, clock.now().wall);
  return json<{ bans: readonly BanNotice[] }>(200, { bans: banned.map(banNotice) });
}

/** The active bans of an account, by chain of rotations. @param now epoch ms. */
export async function bansInForce(
  { bans }: Pick<DashboardStores, 'bans'>,
  accountId: string,
  now: number,
): Promise<ReadonlyMap<string, BanRecord>> {
  const found = await bans.ofAccount(accountId, now, MAX_BANS);
  const inForce = found.filter(({ liftedAt }) => liftedAt === undefined);
  return new Map(inForce.map((ban) => [ban.chainId, ban]));
}

interface BannedKeys {
  readonly ban: BanRecord;
  /** At least one. */
  readonly keys: readonly ApiKey[];
}

/** The active keys of an account: the banned ones, sorted by the end of their ban, and the others. */
export async function liveKeys(
  stores: Pick<DashboardStores, 'bans' | 'keys'>,
  accountId: string,
  now: number,
): Promise<{ readonly banned: readonly BannedKeys[]; readonly others: readonly ApiKey[] }> {
  const bans = await bansInForce(stores, accountId, now);
  // The usual case. Callers use `others` only if there are bans.
  if (bans.size === 0) return { banned: [], others: [] };
  const live = (await stores.keys.list(accountId)).filter((key) => keyState(key, now) === 'active');
  const banned = [...bans.values()]
    .map((ban) => ({ ban, keys: live.filter(({ chainId }) => chainId === ban.chainId) }))
    .filter(({ keys }) => keys.length > 0)
    .sort((a, b) => a.ban.endsAt - b.ban.endsAt);
  return { banned, others: live.filter(({ chainId }) => !bans.has(chainId)) };
}

function banNotice({ ban, keys }: BannedKeys): BanNotice {
  const { id, environment, reason, startsAt, endsAt: until } = ban;
  return { id, environment, reason, startsAt, until, keys: keys.map(keyLink) };
}
