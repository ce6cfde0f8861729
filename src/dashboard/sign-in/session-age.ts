import type { Account, Role } from '../../core/accounts/accounts.ts';
import type { SessionRecord } from '../../core/accounts/sessions.ts';
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts';
import type { Auth, AuthContext } from './auth.ts';
import type { SignInOptions } from './options.ts';

/** Maximum age of a session, however often it is renewed, in ms. */
const LONGEST_SESSION: Readonly<Record<Role, number>> = { customer: 30 * DAY, operator: 12 * HOUR };

/** How long a sign-in counts as recent, in ms. */
const RECENT = 15 * MINUTE;

interface Parts {
  readonly auth: Auth;
  readonly authContext: AuthContext;
  readonly options: SignInOptions;
}

/**
 * The session of a request with these headers, and its account, if there is one. Deletes a session
 * that has reached its maximum age by the service's clock.
 */
export async function findSession(
  { auth, authContext, options: { stores, clock } }: Parts,
  headers: Headers,
) {
  const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
  const account = found && (await stores.accounts.find(found.user.id));
  if (!account) return undefined;
  const { session } = found;
  const age = clock.now().wall - session.createdAt.getTime();
  if (age < LONGEST_SESSION[account.role]) {
    const isProven = Boolean(session.secondFactor);
    return { id: session.id, session, account, isRecent: age >= 0 && age < RECENT, isProven };
  }
  const where = [{ field: 'id', value: session.id }];
  await authContext.adapter.deleteMany({ model: 'session', where });
  return undefined;
}

/**
 * The latest possible end of a session (epoch ms). Renewals move `expiresAt`, but never beyond the
 * maximum age.
 */
export function endOfSession({ role }: Account, { createdAt, expiresAt }: SessionRecord): number {
  return Math.min(expiresAt, createdAt + LONGEST_SESSION[role]);
}
