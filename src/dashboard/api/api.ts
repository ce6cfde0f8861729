import type { DashboardOptions } from '../options.ts';
import { Refused, refusalReply } from '../refused.ts';
import type { Session, SignIn } from '../session.ts';
import { keyRoutes } from './keys.ts';
import { messageRoutes } from './messages.ts';
import { operatorRoutes } from './operator.ts';
import type { Route, Visit } from './route.ts';
import { sessionRoutes } from './session.ts';
import { usageRoutes } from './usage.ts';

/** Everything that the dashboard's own API answers. */
export const ROUTES: readonly Route[] = [
  ...sessionRoutes,
  ...keyRoutes,
  ...usageRoutes,
  ...messageRoutes,
  ...operatorRoutes,
];

const PATTERNS = ROUTES.map((route) => {
  return { route, pattern: new RegExp(`^${route.path.replace('{id}', '([^/]+)')}$`) };
});

/** The dashboard's own API; its contract is in shared/api.ts. */
export interface Api {
  /**
   * Rejects with StorageUnavailable, and with failures of ours.
   * @param path below /api; still percent-encoded, which no id is.
   */
  handle(request: Request, path: string): Promise<Response>;
}

export function createApi(options: DashboardOptions, signIn: () => Promise<SignIn>): Api {
  return {
    async handle(request, path) {
      try {
        const { route, id } = findRoute(request.method, path);
        const people = await signIn();
        const session = await people.session(request.headers);
        const visit = { options, request, query: queryOf(request), id, session };
        const reply = await carryOut(route, visit);
        if (route.renews) await people.renew(request.headers, reply.headers);
        return reply;
      } catch (error) {
        if (error instanceof Refused) return refusalReply(error);
        throw error;
      }
    },
  };
}

/** @throws Refused `not_found` or `method_not_allowed` */
function findRoute(method: string, path: string): { route: Route; id: string } {
  const here = PATTERNS.flatMap(({ route, pattern }) => {
    const match = pattern.exec(path);
    return match ? { route, id: match[1] ?? '' } : [];
  });
  const asked = method === 'HEAD' ? 'GET' : method;
  const found = here.find(({ route }) => route.method === asked);
  if (found) return found;
  if (here.length === 0) throw new Refused('not_found', 'Nothing is served at this path.');
  const allowed = here.flatMap(({ route }) =>
    route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
  );
  throw new Refused('method_not_allowed', `Use one of: ${allowed.join(', ')}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}

async function carryOut(route: Route, visit: Visit): Promise<Response> {
  if (route.access === 'everyone') return route.answer(visit);
  const { account } = admit(route.access, visit.session);
  return route.answer({ ...visit, account });
}

/** @throws Refused `signed_out`, `forbidden` or `sign_in_again` */
function admit(access: 'account' | 'recent' | 'operator', session: Session | undefined): Session {
  if (!session) throw new Refused('signed_out', 'You are signed out. Sign in and try again.');
  if (access === 'operator' && session.account.role !== 'operator') {
    throw new Refused('forbidden', 'Only operators may do this.');
  }
  if (access === 'recent' && !session.isRecent) {
    throw new Refused('sign_in_again', 'Your sign-in is too long ago for this. Sign in again.');
  }
  return session;
}

/** Not by `URL`, which throws at hosts that reach us, such as 999.999.999.999. */
function queryOf({ url }: Request): URLSearchParams {
  return new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
}
