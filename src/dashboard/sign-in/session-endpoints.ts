import { APIError, createAuthEndpoint, getSessionFromCtx } from 'better-auth/api';
import type { SessionEntry } from '../shared/api.ts';

/** Endpoints that list and end the sessions of the signed-in user, by id. */
export function sessionEndpoints(now: () => Date) {
  return {
    listOwnSessions: createAuthEndpoint('/own-sessions', { method: 'GET' }, async (context) => {
      const { user, session } = await requireSession(context);
      const sessions = await context.context.adapter.findMany<StoredSession>({
        model: 'session',
        where: [
          { field: 'userId', value: user.id },
          { field: 'expiresAt', operator: 'gt', value: now() },
        ],
        sortBy: { field: 'createdAt', direction: 'desc' },
      });
      return sessions.map((each) => sessionEntry(each, session.id));
    }),
    endOwnSession: createAuthEndpoint(
      '/own-sessions/:id',
      { method: 'DELETE' },
      async (context) => {
        const { user } = await requireSession(context);
        const where = [
          { field: 'id', value: context.params.id },
          { field: 'userId', value: user.id },
        ];
        return (await context.context.adapter.deleteMany({ model: 'session', where })) > 0;
      },
    ),
    endOtherSessions: createAuthEndpoint(
      '/other-sessions',
      { method: 'DELETE' },
      async (context) => {
        const { user, session } = await requireSession(context);
        const where = [
          { field: 'userId', value: user.id },
          { field: 'id', operator: 'ne' as const, value: session.id },
        ];
        return context.context.adapter.deleteMany({ model: 'session', where });
      },
    ),
  };
}

interface StoredSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly ipAddress?: string | null;
  readonly userAgent?: string | null;
}

function sessionEntry(session: StoredSession, ownId: string): SessionEntry {
  return {
    id: session.id,
    createdAt: session.createdAt.toISOString(),
    lastActiveAt: session.updatedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    ipAddress: session.ipAddress || null,
    userAgent: session.userAgent || null,
    current: session.id === ownId,
  };
}

/** Does not renew the session, because the replies of these endpoints set no cookie. */
async function requireSession(context: Parameters<typeof getSessionFromCtx>[0]) {
  const found = await getSessionFromCtx(context, { disableRefresh: true });
  if (found) return found;
  throw new APIError('UNAUTHORIZED', { code: 'UNAUTHORIZED' });
}
