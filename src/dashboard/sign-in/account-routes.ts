import { DashboardError } from '../errors.ts';
import { requireActive, requireProof, requireSession } from '../session-requirements.ts';
import { newPasswordFrom, readId, readPassword, readPasswordChange } from './bodies.ts';
import { DONE, type Outcome, type SignInContext } from './context.ts';
import { refuseGuessable } from './password-strength.ts';
import { endOfSession } from './session-age.ts';

export async function listSessions(context: SignInContext): Promise<Outcome> {
  const { account } = requireSession(context.session);
  const sessions = await context.auth.api.listOwnSessions({ headers: context.headers });
  return { body: sessions.map((each) => ({ ...each, expiresAt: endOfSession(account, each) })) };
}

/** Also ends the account's other sessions and forgets its other known browsers. */
export async function changePassword(context: SignInContext): Promise<Outcome> {
  const { currentPassword, newPassword } = await readPasswordChange(context.request);
  newPasswordFrom(newPassword);
  const { auth, browsers, headers, request } = context;
  const { attempt, account } = await takeOwnAttempt(context);
  await refuseGuessable(newPassword, account.email, attempt);
  const body = { currentPassword, newPassword, revokeOtherSessions: true };
  const changed = await auth.api.changePassword({ body, headers, returnHeaders: true });
  await attempt.giveBack();
  changed.headers.append('Set-Cookie', await browsers.remember(request.headers, account.id));
  return { ...DONE, headers: changed.headers };
}

export async function endSession({ auth, headers, request }: SignInContext): Promise<Outcome> {
  const { id } = await readId(request);
  if (await auth.api.endOwnSession({ params: { id }, headers })) return DONE;
  throw new DashboardError('not_found', 'This session has ended already.');
}

export async function endOtherSessions({ auth, headers }: SignInContext): Promise<Outcome> {
  await auth.api.endOtherSessions({ headers });
  return DONE;
}

export async function deleteAccount(context: SignInContext): Promise<Outcome> {
  const { password } = await readPassword(context.request);
  const session = requireSession(context.session);
  requireActive(session);
  requireProof(session, context.options);
  const { auth, headers } = context;
  await takeOwnAttempt(context);
  const deleted = await auth.api.deleteUser({ body: { password }, headers, returnHeaders: true });
  return { ...DONE, headers: deleted.headers };
}

/** Counts a guess at the password of the signed-in user. @throws ApiError `signed_out` */
async function takeOwnAttempt(context: SignInContext) {
  const { attempts, browsers, address, request } = context;
  const { id, account } = requireSession(context.session);
  // Without a known-browser cookie the session itself identifies the browser.
  const browser = (await browsers.find(request.headers, account.id)) ?? id;
  return { attempt: await attempts.take(address, 'password', account.email, browser), account };
}
