import { accountDetails } from '../../core/accounts/account-details.ts';
import type { Account } from '../../core/accounts/accounts.ts';
import type { SessionRecord } from '../../core/accounts/sessions.ts';
import { parseReason, REASON_RULE } from '../../core/accounts/suspensions.ts';
import type { Environment } from '../../core/environments.ts';
import type { BanRecord } from '../../core/limits/ban-records.ts';
import type { UsageCounts } from '../../core/requests/usage.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import type {
  AccountBanInfo,
  AccountDetailsInfo,
  AccountSessionInfo,
  AccountUsageInfo,
  ResetLinkInfo,
} from '../shared/operator.ts';
import { keyInfos } from './keys.ts';
import { requireAccount, unknownAccount } from './of-account.ts';
import { auditInfos } from './operator-audit.ts';
import { done, json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';
import { accountInfo } from './session.ts';
import { windows } from './usage/usage.ts';

const MAX_EMAIL_LENGTH = 254;

const readSuspension = bodyReader(
  {
    type: 'object',
    required: ['reason'],
    additionalProperties: false,
    properties: { reason: { type: 'string' } },
  },
  { reason: REASON_RULE },
  { reason: (text) => parseReason(text) !== undefined },
);

const readDeletion = bodyReader(
  {
    type: 'object',
    required: ['email'],
    additionalProperties: false,
    properties: { email: { type: 'string', maxLength: MAX_EMAIL_LENGTH } },
  },
  { email: 'the address of the account' },
);

const ACCOUNT = '/operator/accounts/{id}';
const change = { method: 'POST', access: 'operator', isSensitive: true } as const;

/** One account, for operators. */
export const operatorAccountRoutes: readonly Route[] = [
  { method: 'GET', path: ACCOUNT, access: 'operator', handle: show },
  { ...change, path: `${ACCOUNT}/suspend`, handle: suspend },
  { ...change, path: `${ACCOUNT}/resume`, handle: resume },
  { ...change, path: `${ACCOUNT}/end-sessions`, handle: endSessions },
  { ...change, path: `${ACCOUNT}/reset-link`, handle: makeResetLink },
  { ...change, path: `${ACCOUNT}/delete`, handle: deleteAccount },
  { ...change, path: '/operator/keys/{id}/revoke', handle: revokeKey },
];

async function show(context: AccountContext): Promise<Response> {
  const { options } = context;
  const { clock, stores } = options;
  const account = await requireAccount(context);
  const now = clock.now().wall;
  const details = await accountDetails(stores, account, now);
  const left = await windows(options, account);
  const usage = (environment: Environment): AccountUsageInfo => ({
    ...left[environment],
    last24Hours: countsOf(details.usage[environment].day),
    last30Days: countsOf(details.usage[environment].month),
  });
  const { hasTotp, recoveryCodesLeft, passkeys } = details.secondFactors;
  return json<AccountDetailsInfo>(200, {
    account: accountInfo(account),
    keys: await keyInfos(stores, account.id, details.keys, now),
    usage: { production: usage('production'), staging: usage('staging') },
    bans: details.bans.map(banInfo),
    sessions: details.sessions.map(sessionInfo),
    secondFactors: { hasTotp, recoveryCodesLeft, passkeys: passkeys.length },
    audit: await auditInfos(details.audit, stores),
  });
}

async function suspend(context: AccountContext): Promise<Response> {
  const { id, email } = await requireCustomer(context);
  const { reason } = await readSuspension(context.request);
  const { accounts } = context.options.stores;
  const suspended = await accounts.suspend(id, reason.trim(), nowOf(context), byOf(context));
  if (suspended) return done();
  throw new DashboardError('conflict', `${email} is suspended already.`);
}

async function resume(context: AccountContext): Promise<Response> {
  const { id, email } = await requireAccount(context);
  const { accounts } = context.options.stores;
  if (await accounts.resume(id, nowOf(context), byOf(context))) return done();
  throw new DashboardError('conflict', `${email} is not suspended.`);
}

async function endSessions(context: AccountContext): Promise<Response> {
  const { id } = await requireAccount(context);
  await context.options.stores.sessions.endAll(id, nowOf(context), byOf(context));
  return done();
}

async function makeResetLink(context: AccountContext): Promise<Response> {
  const { id, email } = await requireCustomer(context);
  const link = await (await context.signIn()).resetLink(email);
  if (link === undefined) throw unknownAccount();
  await context.options.stores.audit.record({
    at: nowOf(context),
    by: byOf(context),
    action: 'account.reset_link_made',
    accountId: id,
    detail: email,
  });
  return json<ResetLinkInfo>(200, { link });
}

async function deleteAccount(context: AccountContext): Promise<Response> {
  const { id, email } = await requireCustomer(context);
  const { email: confirmed } = await readDeletion(context.request);
  if (confirmed.trim().toLowerCase() !== email.toLowerCase()) {
    throw new DashboardError('invalid', `Enter ${email} to confirm.`);
  }
  await context.options.stores.accounts.delete(id, nowOf(context), byOf(context));
  return done();
}

async function revokeKey(context: AccountContext): Promise<Response> {
  const { keys, apiKeyService } = context.options.stores;
  if (await apiKeyService.revoke(context.id, byOf(context))) return done();
  if (await keys.find(context.id)) {
    throw new DashboardError('conflict', 'This key was revoked before.');
  }
  throw new DashboardError('not_found', 'No key has this id.');
}

/**
 * @throws ApiError `conflict` for an operator: operators cannot lock out, take over or remove one
 * another here.
 */
async function requireCustomer(context: AccountContext): Promise<Account> {
  const account = await requireAccount(context);
  if (account.role === 'customer') return account;
  throw new DashboardError(
    'conflict',
    'This account is an operator. Take the role away on the command line first: accounts set-operator EMAIL --remove.',
  );
}

function nowOf({ options }: AccountContext): number {
  return options.clock.now().wall;
}

function byOf({ account }: AccountContext): string {
  return account.email;
}

function countsOf({ succeeded, clientErrors, limited, serverErrors }: UsageCounts): UsageCounts {
  return { succeeded, clientErrors, limited, serverErrors };
}

function banInfo(ban: BanRecord): AccountBanInfo {
  const { id, keyId, environment, reason, startsAt, endsAt, liftedAt = null } = ban;
  return { id, keyId, environment, reason, startsAt, endsAt, liftedAt };
}

function sessionInfo(session: SessionRecord): AccountSessionInfo {
  const { id, createdAt, lastActiveAt } = session;
  const { ipAddress = null, userAgent = null, secondFactor = null } = session;
  return { id, createdAt, lastActiveAt, ipAddress, userAgent, secondFactor };
}
