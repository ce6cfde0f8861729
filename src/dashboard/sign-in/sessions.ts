import type { SessionEntry } from '../shared/api.ts';
import type { Auth } from './auth.ts';
import { signedOut } from './refusals.ts';

/** The session that these headers carry. @throws Refused when there is none. */
export async function requireSession(auth: Auth, headers: Headers) {
  const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
  if (!found) throw signedOut();
  return found;
}

/** A person's sessions by their ids: tokens, which would let a script take one over, stay here. */
export async function listSessions(auth: Auth, headers: Headers): Promise<SessionEntry[]> {
  const { user, session: own } = await requireSession(auth, headers);
  const sessions = await sessionsOf(auth, user.id);
  return sessions
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
    .map(({ id, createdAt, updatedAt, expiresAt, ipAddress, userAgent }) => ({
      id,
      createdAt: createdAt.toISOString(),
      lastActiveAt: updatedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      ipAddress: ipAddress || null,
      userAgent: userAgent || null,
      current: id === own.id,
    }));
}

/** Ends one of the person's own sessions. `false` when there is none of this id. */
export async function endSession(auth: Auth, headers: Headers, id: string): Promise<boolean> {
  const { user } = await requireSession(auth, headers);
  const session = (await sessionsOf(auth, user.id)).find((each) => each.id === id);
  if (!session) return false;
  const { internalAdapter } = await auth.$context;
  await internalAdapter.deleteSession(session.token);
  return true;
}

/** Drops the sessions of an account that ended by themselves. */
export async function forgetEnded(auth: Auth, accountId: string): Promise<void> {
  const { adapter } = await auth.$context;
  await adapter.deleteMany({
    model: 'session',
    where: [
      { field: 'userId', value: accountId },
      { field: 'expiresAt', operator: 'lt', value: new Date() },
    ],
  });
}

async function sessionsOf(auth: Auth, accountId: string) {
  const { internalAdapter } = await auth.$context;
  return internalAdapter.listSessions(accountId, { onlyActiveSessions: true });
}
