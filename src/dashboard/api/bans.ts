import { type ApiKey, keyState } from '../../core/api-keys.ts';
import type { BanRecord } from '../../core/ban-records.ts';
import type { DashboardStores } from '../options.ts';
import type { BanNotice } from '../shared/usage.ts';
import { ofAccount } from './of-account.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

/** Bans of an account that are looked through. */
const MAX_BANS = 1_000;

export const banRoutes: readonly Route[] = [
  { method: 'GET', path: '/bans', access: 'account', handle: list },
  {
    method: 'GET',
    path: '/operator/accounts/{id}/bans',
    access: 'operator',
    handle: ofAccount(list),
  },
];

/** The bans in force of the account. */
export async function list({ options, account }: AccountContext): Promise<Response> {
  const { stores, clock } = options;
  const { banned } = await liveKeys(stores, account.id, clock.now().wall);
  return json<{ bans: readonly BanNotice[] }>(200, { bans: banned.map(banNotice) });
}

/** An account's bans in force, by chain of rotations. @param now epoch ms. */
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

/** Which live keys of an account are banned, the ban that ends first before others, and which are not. */
export async function liveKeys(
  stores: Pick<DashboardStores, 'bans' | 'keys'>,
  accountId: string,
  now: number,
): Promise<{ readonly banned: readonly BannedKeys[]; readonly others: readonly ApiKey[] }> {
  const bans = await bansInForce(stores, accountId, now);
  // Usually there is none, and nobody asks for the others then.
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
  const named = keys.map(({ id: keyId, name, lastFour }) => ({ id: keyId, name, lastFour }));
  return { id, environment, reason, startsAt, until, keys: named };
}
