import type { Account } from '../../core/accounts/accounts.ts';
import { needsProof } from '../session-requirements.ts';
import type { AccountInfo, SessionInfo } from '../shared/api.ts';
import { json } from './replies.ts';
import type { RequestContext, Route } from './route.ts';

export const sessionRoutes: readonly Route[] = [
  // Pages request it first, and repeatedly while they are visible.
  { method: 'GET', path: '/session', access: 'everyone', renews: true, handle: show },
];

/** An account as its holder and operators see it. */
export function accountInfo(account: Account): AccountInfo {
  const { id, email, role, plan, limits, createdAt, suspension } = account;
  const { perMinute, perDay } = limits;
  const suspended = suspension ? { at: suspension.at, reason: suspension.reason } : null;
  return { id, email, role, plan, limits: { perMinute, perDay }, createdAt, suspended };
}

function show({ options, session }: RequestContext): Response {
  const needsSecondFactor = session && !session.isProven && needsProof(session, options);
  return json<SessionInfo>(200, {
    account: session ? accountInfo(session.account) : null,
    ...(needsSecondFactor && { needsSecondFactor }),
    addresses: options.addresses,
    operations: options.contract.operationIds,
    contact: options.contact ?? null,
    stability: options.contract.stability,
    sendsMail: options.mail !== undefined,
    now: options.clock.now().wall,
  });
}
