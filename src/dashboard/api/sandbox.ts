import { BanLength, ClockAdvance, UsageRemaining } from '../../api/sandbox/schemas.ts';
import type { ApiKey } from '../../core/keys/api-keys.ts';
import type { SandboxRequest } from '../../core/sandbox/sandbox-control.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import type { SandboxInfo } from '../shared/sandbox.ts';
import { byId } from './by-id.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

const readClockAdvance = bodyReader(ClockAdvance, {});
const readUsageRemaining = bodyReader(UsageRemaining, {});
const readBanLength = bodyReader(BanLength, {});

/** The sandbox of staging, for the account that is signed in. */
export const sandboxRoutes: readonly Route[] = [
  { method: 'GET', path: '/sandbox', access: 'account', handle: show },
  { method: 'POST', path: '/sandbox/clock', access: 'account', handle: advanceClock },
  { method: 'PUT', path: '/sandbox/usage', access: 'account', handle: setUsage },
  { method: 'PUT', path: '/sandbox/bans/{id}', access: 'account', handle: ban },
  { method: 'DELETE', path: '/sandbox/bans/{id}', access: 'account', handle: liftBan },
  { method: 'POST', path: '/sandbox/reset', access: 'account', handle: reset },
];

async function show({ options, account }: AccountContext): Promise<Response> {
  const { clock, sandbox, stores } = options;
  const status = await sandbox.status(account, clock.now());
  const keyOf = await byId(
    stores.keys,
    status.bans.map(({ keyId }) => keyId),
  );
  const { clockOffset, now, minute, day } = status;
  const bans = status.bans.flatMap(({ keyId, endsAt }) => {
    const key = keyOf.get(keyId);
    return key ? [{ keyId, keyName: key.name, lastFour: key.lastFour, endsAt }] : [];
  });
  return json<SandboxInfo>(200, { clockOffset, now, minute, day, bans });
}

async function advanceClock(context: AccountContext): Promise<Response> {
  const { advanceSeconds } = await readClockAdvance(context.request);
  await context.options.sandbox.advanceClock(changeBy(context), advanceSeconds);
  return show(context);
}

async function setUsage(context: AccountContext): Promise<Response> {
  const remaining = await readUsageRemaining(context.request);
  await context.options.sandbox.setUsage(changeBy(context), remaining);
  return show(context);
}

async function ban(context: AccountContext): Promise<Response> {
  const key = await requireStagingKey(context);
  const { seconds } = await readBanLength(context.request);
  await context.options.sandbox.ban(changeBy(context), key, seconds);
  return show(context);
}

async function liftBan(context: AccountContext): Promise<Response> {
  const key = await requireStagingKey(context);
  await context.options.sandbox.liftBan(changeBy(context), key);
  return show(context);
}

async function reset(context: AccountContext): Promise<Response> {
  await context.options.sandbox.reset(changeBy(context));
  return show(context);
}

function changeBy({ account, options }: AccountContext): SandboxRequest {
  return { account, by: account.email, now: options.clock.now() };
}

/** @throws DashboardError `not_found`, both for another account's key and for a production key. */
async function requireStagingKey({ options, account, id }: AccountContext): Promise<ApiKey> {
  const key = await options.stores.keys.find(id);
  if (key?.accountId === account.id && key.environment === 'staging') return key;
  throw new DashboardError('not_found', 'You have no staging key with this id.');
}
