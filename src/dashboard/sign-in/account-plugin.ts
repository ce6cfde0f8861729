import type { AuthContext, BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware } from 'better-auth/api';
import type { SecondFactor } from '../../core/accounts/second-factors.ts';
import { type Clock, DAY, HOUR, SECOND } from '../../lib/clock.ts';
import { findChallengedAccount } from './challenge-endpoint.ts';
import { ADDRESS_HEADER } from './client-headers.ts';
import { signInWithPassword } from './password-endpoint.ts';
import { replaceSessionCookie } from './session-cookie-endpoint.ts';

type Database = AuthContext['adapter'];

/** How long a session lasts after its last renewal, in seconds. */
export const SESSION_LASTS = (7 * DAY) / SECOND;

/** Lifetime of links that are mailed or printed by the command line, in seconds. */
export const LINK_LASTS = HOUR / SECOND;

/**
 * The endpoints of better-auth's plugins that begin a session proven with a second factor, with
 * that factor.
 */
const PROVEN_BY: Readonly<Record<string, SecondFactor>> = {
  '/two-factor/verify-totp': 'totp',
  '/two-factor/verify-backup-code': 'recovery_code',
  '/passkey/verify-authentication': 'passkey',
};

/**
 * Maximum number of live sessions of an account. Less than better-auth's limit for lists, so that
 * no list is cut off.
 */
const MAX_SESSIONS = 50;

/**
 * Adds what better-auth lacks. The number of sessions is limited. Setting a password invalidates
 * other reset links. Sessions use the service's clock.
 */
export function accountPlugin(clock: Clock) {
  const after = (seconds: number) => new Date(clock.now().wall + seconds * SECOND);
  const now = () => after(0);
  return {
    id: 'petstore-accounts',
    init: ({ adapter, internalAdapter }) => ({
      options: {
        databaseHooks: {
          session: {
            create: {
              async before(_session, context) {
                const ipAddress = context?.headers?.get(ADDRESS_HEADER) ?? '';
                const path = context?.path ?? '';
                const earlier = path === '/change-password' ? context?.context.session : null;
                // After a change of the password the new session keeps the second factor and the
                // time of its proof.
                const proven = earlier?.session['secondFactor'] ? earlier.session : undefined;
                const secondFactor = proven?.['secondFactor'] ?? PROVEN_BY[path] ?? null;
                const times = {
                  createdAt: proven?.createdAt ?? now(),
                  expiresAt: after(SESSION_LASTS),
                };
                return { data: { ...times, ipAddress, secondFactor } };
              },
              after: (session) => trimSessions(adapter, session, now()),
            },
          },
        },
        emailAndPassword: {
          enabled: true,
          // Opening the link proves access to the mailbox, unless an operator handed out the link.
          async onPasswordReset({ user }) {
            await internalAdapter.updateUser(user.id, { emailVerified: true });
            await endLinks(adapter, user.id);
          },
        },
      },
    }),
    hooks: {
      after: [
        {
          matcher: ({ path }) => path === '/change-password',
          handler: createAuthMiddleware(async ({ context }) => {
            // Only a successful change begins a new session.
            if (context.newSession) await endLinks(context.adapter, context.newSession.user.id);
          }),
        },
      ],
    },
    endpoints: { findChallengedAccount, replaceSessionCookie, signInWithPassword },
  } satisfies BetterAuthPlugin;
}

/** Deletes the expired sessions of an account, and the oldest beyond MAX_SESSIONS. */
async function trimSessions(
  adapter: Database,
  { id: newId, userId }: { id: string; userId: string },
  now: Date,
): Promise<void> {
  await adapter.deleteMany({
    model: 'session',
    where: [
      { field: 'userId', value: userId },
      { field: 'expiresAt', operator: 'lt', value: now },
    ],
  });
  const excess = await adapter.findMany<{ id: string }>({
    model: 'session',
    where: [
      { field: 'userId', value: userId },
      { field: 'id', operator: 'ne', value: newId },
    ],
    sortBy: { field: 'createdAt', direction: 'desc' },
    offset: MAX_SESSIONS - 1,
  });
  for (const { id } of excess) {
    await adapter.deleteMany({ model: 'session', where: [{ field: 'id', value: id }] });
  }
}

/**
 * Invalidates the links that set a new password. better-auth stores them with the account as their
 * value.
 */
async function endLinks(adapter: Database, accountId: string): Promise<void> {
  await adapter.deleteMany({
    model: 'verification',
    where: [{ field: 'value', value: accountId }],
  });
}
