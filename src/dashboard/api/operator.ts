import type { AuditRecord } from '../../core/audit.ts';
import type { BanRecord } from '../../core/ban-records.ts';
import { PLAN_NAMES, subscribe } from '../../core/plans.ts';
import type { DashboardStores } from '../options.ts';
import { Refused } from '../refused.ts';
import type { AccountInfo, AuditInfo, BanInfo } from '../shared/api.ts';
import { readFields } from './body.ts';
import { done, json, refusing } from './replies.ts';
import type { Call, Route } from './route.ts';
import { accountInfo } from './session.ts';

const MOST_ACCOUNTS = 50;
const MOST_ENTRIES = 50;
/** The largest limit, as on the command line. */
const MOST_REQUESTS = 9_999_999_999;

export const operatorRoutes: readonly Route[] = [
  { method: 'GET', path: '/operator/accounts', access: 'operator', answer: searchAccounts },
  { method: 'PUT', path: '/operator/accounts/{id}/plan', access: 'operator', answer: setPlan },
  { method: 'GET', path: '/operator/bans', access: 'operator', answer: listBans },
  { method: 'POST', path: '/operator/bans/{id}/lift', access: 'operator', answer: liftBan },
  { method: 'GET', path: '/operator/audit', access: 'operator', answer: listAudit },
];

async function searchAccounts({ options, query }: Call): Promise<Response> {
  const text = query.get('search')?.trim() ?? '';
  const found = await options.stores.accounts.search(text, MOST_ACCOUNTS);
  return json<{ accounts: readonly AccountInfo[] }>(200, { accounts: found.map(accountInfo) });
}

async function setPlan({ options, account: operator, request, id }: Call): Promise<Response> {
  const { accounts, keyRing } = options.stores;
  const account = await accounts.find(id);
  if (!account) throw new Refused('not_found', 'No account has this id.');
  const fields = await readFields(request, ['plan', 'perMinute', 'perDay']);
  const plan = fields.oneOf('plan', PLAN_NAMES);
  const perMinute = fields.optionalCount('perMinute', MOST_REQUESTS);
  const perDay = fields.optionalCount('perDay', MOST_REQUESTS);
  const subscription = await refusing('invalid', () =>
    subscribe(plan, {
      ...(perMinute !== undefined && { perMinute }),
      ...(perDay !== undefined && { perDay }),
    }),
  );
  await accounts.setSubscription(id, subscription, options.clock.now().wall, operator.email);
  // Effective here at once; other processes read the change within a second.
  keyRing.forgetAccount(id);
  return json<AccountInfo>(200, accountInfo({ ...account, ...subscription }));
}

async function listBans({ options }: Call): Promise<Response> {
  const { stores, clock } = options;
  const active = await stores.bans.active(clock.now().wall);
  const infos = await Promise.all(active.map((ban) => banInfo(ban, stores)));
  // An account that was deleted meanwhile took its bans along.
  const bans = infos.filter((info) => info !== undefined);
  return json<{ bans: readonly BanInfo[] }>(200, { bans });
}

async function liftBan({ options, account: operator, id }: Call): Promise<Response> {
  const { bans } = options.stores;
  const now = options.clock.now().wall;
  if (await bans.lift(id, operator.email, now)) return done();
  const lifted = await bans.lifted(now);
  if (lifted.some((ban) => ban.id === id)) {
    throw new Refused('conflict', 'This ban was lifted before.');
  }
  throw new Refused('not_found', 'No ban in force has this id.');
}

async function listAudit({ options, query }: Call): Promise<Response> {
  const before = query.get('before');
  if (before !== null && !/^[1-9]\d{0,14}$/.test(before)) {
    throw new Refused('invalid', '"before" must be the number of an entry.');
  }
  const last = before === null ? undefined : Number(before);
  const entries = await options.stores.audit.list(MOST_ENTRIES, last);
  return json<{ entries: readonly AuditInfo[] }>(200, { entries: entries.map(auditInfo) });
}

async function banInfo(ban: BanRecord, stores: DashboardStores): Promise<BanInfo | undefined> {
  const account = await stores.accounts.find(ban.accountId);
  const key = await stores.keys.find(ban.keyId);
  if (!account || !key) return undefined;
  const { id, accountId, environment, reason, startsAt, endsAt } = ban;
  return {
    id,
    accountId,
    email: account.email,
    environment,
    keyName: key.name,
    lastFour: key.lastFour,
    reason,
    startsAt,
    endsAt,
  };
}

function auditInfo({ number, at, by, action, accountId, detail }: AuditRecord): AuditInfo {
  return { number, at, by, action, accountId, detail };
}
