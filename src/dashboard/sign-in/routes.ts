import { type Endpoint, Router, routesOf } from '../../http/target/router.ts';
import { UNCACHED } from '../errors.ts';
import { findOperation } from '../find-operation.ts';
import { deviceOf } from '../shared/device.ts';
import {
  changePassword,
  deleteAccount,
  endOtherSessions,
  endSession,
  listSessions,
} from './account-routes.ts';
import { clientHeaders } from './client-headers.ts';
import type { Outcome, SignInContext, SignInParts } from './context.ts';
import { signIn, signOut, signUp, verifyEmail } from './entry-routes.ts';
import { translated } from './errors.ts';
import {
  beginTotp,
  confirmTotp,
  listFactors,
  removeTotp,
  renewRecoveryCodes,
} from './factor-routes.ts';
import { requestPasswordReset, resetPassword, showLink } from './link-routes.ts';
import {
  addPasskey,
  newPasskeyOptions,
  passkeySignInOptions,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
} from './passkey-routes.ts';
import { signInWithCode, signInWithRecoveryCode } from './second-step-routes.ts';
import { findSession } from './session-age.ts';

interface Route extends Endpoint {
  handle(context: SignInContext): Promise<Outcome>;
}

/** Everything below /api/auth; better-auth's other endpoints are not served. */
const ROUTES: readonly Route[] = [
  { method: 'POST', path: '/sign-up/email', handle: signUp },
  { method: 'POST', path: '/sign-in/email', handle: signIn },
  { method: 'POST', path: '/sign-in/code', handle: signInWithCode },
  { method: 'POST', path: '/sign-in/recovery-code', handle: signInWithRecoveryCode },
  { method: 'POST', path: '/sign-in/passkey-options', handle: passkeySignInOptions },
  { method: 'POST', path: '/sign-in/passkey', handle: signInWithPasskey },
  { method: 'POST', path: '/sign-out', handle: signOut },
  { method: 'POST', path: '/request-password-reset', handle: requestPasswordReset },
  { method: 'POST', path: '/link', handle: showLink },
  { method: 'POST', path: '/reset-password', handle: resetPassword },
  { method: 'POST', path: '/verify-email', handle: verifyEmail },
  { method: 'POST', path: '/change-password', handle: changePassword },
  { method: 'GET', path: '/list-sessions', handle: listSessions },
  { method: 'POST', path: '/revoke-session', handle: endSession },
  { method: 'POST', path: '/revoke-other-sessions', handle: endOtherSessions },
  { method: 'POST', path: '/delete-user', handle: deleteAccount },
  { method: 'GET', path: '/second-factors', handle: listFactors },
  { method: 'POST', path: '/second-factors/totp', handle: beginTotp },
  { method: 'POST', path: '/second-factors/totp/confirm', handle: confirmTotp },
  { method: 'POST', path: '/second-factors/totp/remove', handle: removeTotp },
  { method: 'POST', path: '/second-factors/recovery-codes', handle: renewRecoveryCodes },
  { method: 'POST', path: '/second-factors/passkey-options', handle: newPasskeyOptions },
  { method: 'POST', path: '/second-factors/passkeys', handle: addPasskey },
  { method: 'POST', path: '/second-factors/passkeys/rename', handle: renamePasskey },
  { method: 'POST', path: '/second-factors/passkeys/remove', handle: removePasskey },
];

const ROUTER = new Router(routesOf(ROUTES));

/**
 * Replies to a request below /api/auth.
 * @throws ApiError, and any other error when the service fails
 */
export async function handle(
  parts: SignInParts,
  request: Request,
  path: string,
  address: string,
): Promise<Response> {
  const { operation } = findOperation(ROUTER, request.method, path);
  const headers = clientHeaders(request.headers, parts.signatures, address);
  try {
    const session = await findSession(parts, headers);
    const client = { device: deviceOf(request.headers.get('user-agent') ?? ''), address };
    const sent = { request, headers, address, client, session };
    const outcome = await operation.handle({ ...parts, ...sent });
    const reply = Response.json(outcome.body, { headers: UNCACHED });
    for (const cookie of outcome.headers?.getSetCookie() ?? []) {
      reply.headers.append('Set-Cookie', cookie);
    }
    return reply;
  } catch (error) {
    throw translated(error);
  }
}
