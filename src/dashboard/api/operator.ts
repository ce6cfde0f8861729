import type { BanRecord } from '../../core/limits/ban-records.ts';
import { PLAN_NAMES, subscribe } from '../../core/limits/plans.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import type { DashboardStores } from '../options.ts';
import type { AccountInfo } from '../shared/api.ts';
import { MAX_ACCOUNTS, MAX_BANS } from '../shared/bounds.ts';
import type { BanInfo, BanList } from '../shared/operator.ts';
import { byId } from './by-id.ts';
import { requireAccount } from './of-account.ts';
import { done, json, withErrorCode } from './replies.ts';
import type { AccountContext, Route } from './route.ts';
import { accountInfo } from './session.ts';

/** The largest limit, as on the command line. */
const MAX_REQUESTS = 9_999_999_999;

const limit = { type: 'integer', minimum: 1, maximum: MAX_REQUESTS } as const;
const LIMIT_EXPECTATION = `a whole number from 1 to ${MAX_REQUESTS}, or be left out`;

const readPlanChange = bodyReader(
  {
    type: 'object',
    required: ['plan'],
    additionalProperties: false,
    properties: { plan: { enum: PLAN_NAMES }, perMinute: limit, perDay: limit },
  },
  {
    plan: `one of: ${PLAN_NAMES.join(', ')}`,
    perMinute: LIMIT_EXPECTATION,
    perDay: LIMIT_EXPECTATION,
  },
);

export const operatorRoutes: readonly Route[] = [
  { method: 'GET', path: '/operator/accounts', access: 'operator', handle: searchAccounts },
  {
    method: 'PUT',
    path: '/operator/accounts/{id}/plan',
    access: 'operator',
    isSensitive: true,
    handle: setPlan,
  },
  { method: 'GET', path: '/operator/bans', access: 'operator', handle: listBans },
  {
    method: 'POST',
    path: '/operator/bans/{id}/lift',
    access: 'operator',
    isSensitive: true,
    handle: liftBan,
  },
];

async function searchAccounts({ options, query }: AccountContext): Promise<Response> {
  const text = query.get('search')?.trim() ?? '';
  const found = await options.stores.accounts.search(text, MAX_ACCOUNTS);
  return json<{ accounts: readonly AccountInfo[] }>(200, { accounts: found.map(accountInfo) });
}

async function setPlan(context: AccountContext): Promise<Response> {
  const { stores, clock } = context.options;
  const account = await requireAccount(context);
  const { plan, ...limits } = await readPlanChange(context.request);
  const subscription = await withErrorCode('invalid', () => subscribe(plan, limits));
  const by = context.account.email;
  await stores.accounts.setSubscription(account.id, subscription, clock.now().wall, by);
  return json<AccountInfo>(200, accountInfo({ ...account, ...subscription }));
}

async function listBans({ options }: AccountContext): Promise<Response> {
  const { stores, clock } = options;
  const active = await stores.bans.active(clock.now().wall);
  const latest = active.slice(-MAX_BANS);
  const bans = await banInfos(latest, stores);
  return json<BanList>(200, { bans, total: active.length - (latest.length - bans.length) });
}

/** Bans with their keys and accounts, without those whose account has been deleted meanwhile. */
async function banInfos(
  bans: readonly BanRecord[],
  { accounts, keys }: DashboardStores,
): Promise<BanInfo[]> {
  const [accountOf, keyOf] = await Promise.all([
    byId(
      accounts,
      bans.map(({ accountId }) => accountId),
    ),
    byId(
      keys,
      bans.map(({ keyId }) => keyId),
    ),
  ]);
  return bans.flatMap(({ id, accountId, keyId, environment, reason, startsAt, endsAt }) => {
    const account = accountOf.get(accountId);
    const key = keyOf.get(keyId);
    if (!account || !key) return [];
    const { email } = account;
    const { name: keyName, lastFour } = key;
    return [{ id, accountId, email, environment, keyName, lastFour, reason, startsAt, endsAt }];
  });
}

async function liftBan({ options, account: operator, id }: AccountContext): Promise<Response> {
  const { bans } = options.stores;
  const now = options.clock.now().wall;
  if (await bans.lift(id, operator.email, now)) return done();
  const lifted = await bans.lifted(now);
  if (lifted.some((ban) => ban.id === id)) {
    throw new DashboardError('conflict', 'This ban was lifted before.');
  }
  throw new DashboardError('not_found', 'No ban in force has this id.');
}
