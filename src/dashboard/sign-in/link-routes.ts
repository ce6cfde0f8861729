import { DashboardError } from '../errors.ts';
import { emailFrom, newPasswordFrom, readEmail, readPasswordReset } from './bodies.ts';
import { DONE, inBackground, type Outcome, type SignInContext } from './context.ts';
import { INVALID_LINK } from './errors.ts';
import { findLink } from './links.ts';
import { refuseGuessable } from './password-strength.ts';

export async function requestPasswordReset(context: SignInContext): Promise<Outcome> {
  const { auth, headers } = context;
  const email = await takeMailAttempt(context);
  inBackground(context, 'reset', () => auth.api.requestPasswordReset({ body: { email }, headers }));
  return DONE;
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
  return { ...DONE, headers: new Headers({ 'Set-Cookie': cookie }) };
}

/** Counts a request for mail, and returns its address. @throws ApiError if no mail is sent. */
async function takeMailAttempt(context: SignInContext): Promise<string> {
  const { options, attempts, address, request } = context;
  if (!options.mail) {
    throw new DashboardError(
      'invalid',
      'No mail is sent from here. Ask the operator for a link to set a new password.',
    );
  }
  const email = emailFrom((await readEmail(request)).email);
  await attempts.take(address, 'mail', email);
  return email;
}
