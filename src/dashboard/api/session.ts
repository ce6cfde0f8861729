import type { Account } from '../../core/accounts.ts';
import type { AccountInfo, SessionInfo } from '../shared/api.ts';
import { json } from './replies.ts';
import type { Route, Visit } from './route.ts';

export const sessionRoutes: readonly Route[] = [
  // What the pages ask first, and again as long as somebody looks at them.
  { method: 'GET', path: '/session', access: 'everyone', renews: true, answer: show },
];

/** What an account looks like to its holder, and to operators. */
export function accountInfo(account: Account): AccountInfo {
  const { id, email, role, plan, limits, createdAt } = account;
  const { perMinute, perDay } = limits;
  return { id, email, role, plan, limits: { perMinute, perDay }, createdAt };
}

function show({ options, session }: Visit): Response {
  return json<SessionInfo>(200, {
    account: session ? accountInfo(session.account) : null,
    addresses: options.addresses,
    contact: options.contact ?? null,
    sendsMail: options.mail !== undefined,
    now: options.clock.now().wall,
  });
}
