import { Refused, refusalReply } from '../refused.ts';
import {
  changePassword,
  deleteAccount,
  revokeOtherSessions,
  revokeSession,
  showSessions,
} from './account-routes.ts';
import { callerHeaders } from './caller.ts';
import { signIn, signOut, signUp } from './entry-routes.ts';
import { Fields } from './fields.ts';
import {
  requestPasswordReset,
  resetPassword,
  sendVerificationEmail,
  verifyEmail,
} from './link-routes.ts';
import { refusalOf } from './refusals.ts';
import type { Route, Shared } from './visit.ts';

/** Everything that there is below /api/auth; what better-auth has beside it is not served. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  '/sign-up/email': { POST: signUp },
  '/sign-in/email': { POST: signIn },
  '/sign-out': { POST: signOut },
  '/request-password-reset': { POST: requestPasswordReset },
  '/reset-password': { POST: resetPassword },
  '/verify-email': { POST: verifyEmail },
  '/send-verification-email': { POST: sendVerificationEmail },
  '/change-password': { POST: changePassword },
  '/list-sessions': { GET: showSessions },
  '/revoke-session': { POST: revokeSession },
  '/revoke-other-sessions': { POST: revokeOtherSessions },
  '/delete-user': { POST: deleteAccount },
};

/** Answers a request below /api/auth; fails when the fault is ours. */
export async function answer(
  shared: Shared,
  request: Request,
  path: string,
  address: string,
): Promise<Response> {
  const reply = await carryOut(shared, request, path, address);
  reply.headers.set('Cache-Control', 'no-store');
  return reply;
}

async function carryOut(
  shared: Shared,
  request: Request,
  path: string,
  address: string,
): Promise<Response> {
  try {
    const route = findRoute(request.method, path);
    const headers = callerHeaders(request.headers, address);
    const fields = () => Fields.read(request);
    const { body, headers: more } = await route({ ...shared, headers, address, fields });
    const reply = Response.json(body);
    for (const cookie of more?.getSetCookie() ?? []) reply.headers.append('Set-Cookie', cookie);
    return reply;
  } catch (error) {
    const refused = refusalOf(error);
    if (!refused) throw error;
    return refusalReply(refused);
  }
}

function findRoute(method: string, path: string): Route {
  const methods = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (!methods) throw new Refused('not_found', 'Nothing is served here.');
  const route = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (route) return route;
  const allow = Object.keys(methods).join(', ');
  throw new Refused('method_not_allowed', `Use ${allow} here.`, { headers: { Allow: allow } });
}
