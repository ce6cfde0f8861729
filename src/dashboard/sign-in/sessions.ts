import type { Where } from 'better-auth';
import type { SessionEntry } from '../shared/api.ts';
import type { Auth } from './auth.ts';
import { signedOut } from './refusals.ts';

/** Live sessions of an account; less than better-auth lists at once, so that no list is cut off. */
const MOST_SESSIONS = 50;

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
  const { adapter } = await auth.$context;
  const ended = await adapter.deleteMany({
    model: 'session',
    where: [
      { field: 'id', value: id },
      { field: 'userId', value: user.id },
    ],
  });
  return ended > 0;
}

/** Ends all of the person's sessions but the one that asks. */
export async function endOtherSessions(auth: Auth, headers: Headers): Promise<void> {
  const { user, session: own } = await requireSession(auth, headers);
  const { adapter } = await auth.$context;
  await adapter.deleteMany({ model: 'session', where: othersThan(user.id, own.token) });
}

/**
 * Drops the sessions of an account that ended by themselves, and the oldest that are too many.
 * @param token of the session that has just begun, which stays.
 */
export async function trimSessions(auth: Auth, accountId: string, token: string): Promise<void> {
  await forgetEnded(auth, accountId);
  const { adapter } = await auth.$context;
  const tooMany = await adapter.findMany<{ id: string }>({
    model: 'session',
    where: othersThan(accountId, token),
    sortBy: { field: 'createdAt', direction: 'desc' },
    offset: MOST_SESSIONS - 1,
  });
  for (const { id } of tooMany) {
    await adapter.deleteMany({ model: 'session', where: [{ field: 'id', value: id }] });
  }
}

async function forgetEnded(auth: Auth, accountId: string): Promise<void> {
  const { adapter } = await auth.$context;
  await adapter.deleteMany({
    model: 'session',
    where: [
      { field: 'userId', value: accountId },
      { field: 'expiresAt', operator: 'lt', value: new Date() },
    ],
  });
}

function othersThan(accountId: string, token: string): Where[] {
  return [
    { field: 'userId', value: accountId },
    { field: 'token', operator: 'ne', value: token },
  ];
}

async function sessionsOf(auth: Auth, accountId: string) {
  const { internalAdapter } = await auth.$context;
  return internalAdapter.listSessions(accountId, { onlyActiveSessions: true });
}
