import { parseTarget } from '../../http/target/request-target.ts';
import { Router, routesOf } from '../../http/target/router.ts';
import { DashboardError } from '../errors.ts';
import { findOperation } from '../find-operation.ts';
import type { LiveChannel } from '../live/live-channel.ts';
import type { DashboardOptions } from '../options.ts';
import type { Session, SignIn } from '../session.ts';
import {
  requireActive,
  requireProof,
  requireRecent,
  requireSession,
} from '../session-requirements.ts';
import { banRoutes } from './bans.ts';
import { keyRoutes } from './keys.ts';
import { liveRoutes } from './live.ts';
import { messageRoutes } from './messages.ts';
import { operatorRoutes } from './operator.ts';
import { operatorAccountRoutes } from './operator-accounts.ts';
import { auditRoutes } from './operator-audit.ts';
import { operatorOrderRoutes } from './operator-orders.ts';
import { overviewRoutes } from './operator-overview.ts';
import { orderRoutes } from './orders.ts';
import { petRoutes } from './pets.ts';
import { requestRoutes } from './requests.ts';
import type { RequestContext, Route } from './route.ts';
import { sandboxRoutes } from './sandbox.ts';
import { securityEventRoutes } from './security-events.ts';
import { sessionRoutes } from './session.ts';
import { startRoutes } from './start.ts';
import { usageRoutes } from './usage/usage.ts';

/** The operations of the dashboard's own API, except those below /api/auth. */
export const ROUTES: readonly Route[] = [
  ...sessionRoutes,
  ...liveRoutes,
  ...keyRoutes,
  ...startRoutes,
  ...usageRoutes,
  ...requestRoutes,
  ...banRoutes,
  ...messageRoutes,
  ...orderRoutes,
  ...petRoutes,
  ...sandboxRoutes,
  ...securityEventRoutes,
  ...operatorRoutes,
  ...operatorAccountRoutes,
  ...auditRoutes,
  ...operatorOrderRoutes,
  ...overviewRoutes,
];

/** The dashboard's own API; its contract is in shared/api.ts. */
export interface Api {
  /**
   * Rejects with ApiError, and with any other error when the service fails.
   * @param path below /api, still percent-encoded; ids never contain encoded characters.
   * @param session `undefined` if the sender of the request is not signed in.
   * @param address of the client.
   */
  handle(
    request: Request,
    path: string,
    session: Session | undefined,
    address: string,
  ): Promise<Response>;
}

export function createApi(
  options: DashboardOptions,
  signIn: () => Promise<SignIn>,
  live: LiveChannel,
): Api {
  const { operationIds } = options.contract;
  const routes = ROUTES.filter(
    ({ operation }) => operation === undefined || operationIds.includes(operation),
  );
  const router = new Router(routesOf(routes));
  return {
    async handle(request, path, session, address) {
      const { operation, parameters } = findOperation(router, request.method, path);
      const target = parseTarget(request.url, request.headers.get('host'));
      const query = new URLSearchParams(target?.query);
      const id = parameters['id'] ?? '';
      const reply = await dispatch(operation, {
        ...{ options, request, query, id, session, address, live, signIn },
      });
      if (operation.renews) await (await signIn()).renew(request.headers, reply.headers);
      return reply;
    },
  };
}

async function dispatch(route: Route, context: RequestContext): Promise<Response> {
  if (route.access === 'everyone') return route.handle(context);
  const session = authorize(route, context);
  return route.handle({ ...context, session, account: session.account });
}

/** @throws ApiError `signed_out`, `forbidden`, `suspended`, `second_factor_required` or `sign_in_again` */
function authorize(
  { access, method, isSensitive, isProtecting }: Exclude<Route, { access: 'everyone' }>,
  context: RequestContext,
): Session {
  const session = requireSession(context.session);
  if (access === 'operator' && session.account.role !== 'operator') {
    throw new DashboardError('forbidden', 'Only operators may do this.');
  }
  if (access === 'operator' || (method !== 'GET' && !isProtecting)) requireActive(session);
  if (method !== 'GET' && !isProtecting) requireProof(session, context.options);
  if (isSensitive) requireRecent(session);
  return session;
}
