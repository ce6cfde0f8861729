import { DashboardError } from '../errors.ts';
import type { LinkInfo } from '../shared/api.ts';
import { emailFrom, newPasswordFrom, readEmail, readPasswordReset, readToken } from './bodies.ts';
import { DONE, inBackground, type Outcome, type SignInContext } from './context.ts';
import { INVALID_LINK } from './errors.ts';
import { createLink, findLink } from './links.ts';
import type { Mailer } from './mailer.ts';
import { reportNewPassword } from './password-events.ts';
import { refuseGuessable } from './password-strength.ts';

/** The reply comes before the work, so that its time does not reveal whether the address is known. */
export async function requestPasswordReset(context: SignInContext): Promise<Outcome> {
  const { mailer, attempts, address, request } = context;
  if (!mailer) {
    throw new DashboardError(
      'invalid',
      'No mail is sent from here. Ask the operator for a link to set a new password.',
    );
  }
  const email = emailFrom((await readEmail(request)).email);
  await attempts.take(address, 'mail', email);
  inBackground(context, 'reset', () => mailResetLink(context, mailer, email));
  return DONE;
}

async function mailResetLink(context: SignInContext, mailer: Mailer, email: string): Promise<void> {
  const account = await context.options.stores.accounts.findByEmail(email);
  if (!account) return;
  const token = await createLink(context, 'reset-password', account.id);
  await mailer.resetPassword(account.email, token);
}

/**
 * The address that a link is for, under which password managers store the password. Who knows the
 * token received the link at this address, or from an operator.
 */
export async function showLink(context: SignInContext): Promise<Outcome> {
  const { token } = await readToken(context.request);
  const accountId = await findLink(context, 'reset-password', token);
  const account = accountId && (await context.options.stores.accounts.find(accountId));
  const email = account ? account.email : await findLink(context, 'sign-up', token);
  const body: LinkInfo = { email: email ?? null };
  return { body };
}

export async function resetPassword(context: SignInContext): Promise<Outcome> {
  const { auth, attempts, browsers, options, address, headers, request } = context;
  const { token, ...fields } = await readPasswordReset(request);
  const newPassword = newPasswordFrom(fields.newPassword);
  await attempts.take(address);
  const accountId = await findLink(context, 'reset-password', token);
  const holder = accountId && (await options.stores.accounts.find(accountId));
  if (!holder) throw new DashboardError(...INVALID_LINK);
  await refuseGuessable({ password: newPassword, email: holder.email, address });
  await auth.api.resetPassword({ body: { token, newPassword }, headers });
  // The reset has invalidated all known-browser cookies. A new one lets this browser sign in even
  // during an attack.
  const cookie = await browsers.remember(request.headers, holder.id);
  await reportNewPassword(context, holder, 'by a reset link');
  return { ...DONE, headers: new Headers({ 'Set-Cookie': cookie }) };
}
