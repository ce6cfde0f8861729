import type { Where } from 'better-auth';
import { DashboardError } from '../errors.ts';
import { requireActive, requireProof, requireSession } from '../session-requirements.ts';
import type { SessionEntry } from '../shared/api.ts';
import { newPasswordFrom, readId, readPassword, readPasswordChange } from './bodies.ts';
import { DONE, type Outcome, type SignInContext } from './context.ts';
import { reportNewPassword, withOwnPassword } from './password-events.ts';
import { refuseGuessable } from './password-strength.ts';
import { endOfSession } from './session-age.ts';

export async function listSessions(context: SignInContext): Promise<Outcome> {
  const { account, id: ownId } = requireSession(context.session);
  const { stores, clock } = context.options;
  const sessions = await stores.sessions.ofAccount(account.id, clock.now().wall);
  const body: readonly SessionEntry[] = sessions.map((each) => ({
    id: each.id,
    createdAt: isoTime(each.createdAt),
    lastActiveAt: isoTime(each.lastActiveAt),
    expiresAt: isoTime(endOfSession(account, each)),
    ipAddress: each.ipAddress ?? null,
    userAgent: each.userAgent ?? null,
    current: each.id === ownId,
  }));
  return { body };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** Also ends the account's other sessions and forgets its other known browsers. */
export async function changePassword(context: SignInContext): Promise<Outcome> {
  const fields = await readPasswordChange(context.request);
  const { currentPassword } = fields;
  const newPassword = newPasswordFrom(fields.newPassword);
  const { auth, browsers, headers, address, request } = context;
  const { account } = requireSession(context.session);
  const { email } = account;
  const changed = await withOwnPassword(context, account, 'change it', async () => {
    const attempt = await takeOwnAttempt(context);
    await refuseGuessable({ password: newPassword, email, address }, attempt);
    const body = { currentPassword, newPassword, revokeOtherSessions: true };
    const reply = await auth.api.changePassword({ body, headers, returnHeaders: true });
    await attempt.giveBack();
    return reply;
  });
  await reportNewPassword(context, account, 'with the current password');
  changed.headers.append('Set-Cookie', await browsers.remember(request.headers, account.id));
  return { ...DONE, headers: changed.headers };
}

/** By id, because a script could take over a session with its token. */
export async function endSession(context: SignInContext): Promise<Outcome> {
  const { id } = await readId(context.request);
  if ((await endOwn(context, { field: 'id', value: id })) > 0) return DONE;
  throw new DashboardError('not_found', 'This session has ended already. Reload the page.');
}

export async function endOtherSessions(context: SignInContext): Promise<Outcome> {
  const { id } = requireSession(context.session);
  await endOwn(context, { field: 'id', operator: 'ne', value: id });
  return DONE;
}

/** Ends some sessions of the signed-in user; returns how many. @throws ApiError `signed_out` */
async function endOwn({ authContext, session }: SignInContext, which: Where): Promise<number> {
  const { account } = requireSession(session);
  const where = [which, { field: 'userId', value: account.id }];
  return authContext.adapter.deleteMany({ model: 'session', where });
}

export async function deleteAccount(context: SignInContext): Promise<Outcome> {
  const { password } = await readPassword(context.request);
  const session = requireSession(context.session);
  requireActive(session);
  requireProof(session, context.options);
  const { auth, headers } = context;
  const deleted = await withOwnPassword(
    context,
    session.account,
    'delete the account',
    async () => {
      await takeOwnAttempt(context);
      return auth.api.deleteUser({ body: { password }, headers, returnHeaders: true });
    },
  );
  return { ...DONE, headers: deleted.headers };
}

/** Counts a guess at the password of the signed-in user. @throws ApiError `signed_out` */
async function takeOwnAttempt(context: SignInContext) {
  const { attempts, browsers, address, request } = context;
  const { id, account } = requireSession(context.session);
  // Without a known-browser cookie the session itself identifies the browser.
  const browser = (await browsers.find(request.headers, account.id)) ?? id;
  return attempts.take(address, 'password', account.email, browser);
}
