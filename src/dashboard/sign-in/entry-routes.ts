import { DashboardError } from '../errors.ts';
import { beginSession, type Credentials } from './begin-session.ts';
import {
  emailFrom,
  newEmailFrom,
  newPasswordFrom,
  readCredentials,
  readEmail,
  readPasswordReset,
} from './bodies.ts';
import { DONE, inBackground, type Outcome, type SignInContext } from './context.ts';
import { INVALID_LINK } from './errors.ts';
import { consumeLink, createLink, findLink } from './links.ts';
import type { Mailer } from './mailer.ts';
import { refuseGuessable } from './password-strength.ts';
import { reported } from './reported-sign-in.ts';

/**
 * Sign-up does not use better-auth, so that the account and its audit entry are created in one
 * write. If mail is sent, only a link is created until the address is confirmed, and the person who
 * confirms it sets the password.
 */
export async function signUp(context: SignInContext): Promise<Outcome> {
  const { attempts, address, mailer, request } = context;
  if (mailer) {
    const email = newEmailFrom((await readEmail(request)).email);
    await attempts.takeSignUp(address, email);
    // Replies before the work is done, so that neither the text nor the time reveals whether the
    // address is known.
    inBackground(context, 'sign-up', () => signUpByMail(context, mailer, email));
    return { body: { user: null } };
  }
  const fields = await readCredentials(request);
  const email = newEmailFrom(fields.email);
  const credentials = { email, password: newPasswordFrom(fields.password) };
  const attempt = await attempts.takeSignUp(address, email);
  await refuseGuessable({ ...credentials, address }, attempt);
  // Without mail there is no private way to tell the holder that the address has an account.
  if (await createAccount(context, credentials)) {
    return reported(context, 'password', () => beginSession(context, credentials));
  }
  throw new DashboardError(
    'conflict',
    'This address has an account already. Sign in, or use another address.',
  );
}

/** Completes a sign-up by its link, which works once: creates the account with the password given. */
export async function verifyEmail(context: SignInContext): Promise<Outcome> {
  const { attempts, address, request } = context;
  const { token, newPassword } = await readPasswordReset(request);
  const password = newPasswordFrom(newPassword);
  await attempts.take(address);
  const expected = await findLink(context, 'sign-up', token);
  if (expected !== undefined) await refuseGuessable({ password, email: expected, address });
  const email = await consumeLink(context, 'sign-up', token);
  // If another link was used first, the account already exists and keeps its password.
  if (email === undefined || !(await createAccount(context, { email, password }))) {
    throw new DashboardError(...INVALID_LINK);
  }
  return DONE;
}

export function signIn(context: SignInContext): Promise<Outcome> {
  return reported(context, 'password', async (attempted) => {
    const fields = await readCredentials(context.request);
    const credentials = { email: emailFrom(fields.email), password: fields.password };
    const { attempts, browsers, address, options, request } = context;
    const account = await options.stores.accounts.findByEmail(credentials.email);
    attempted.account = account;
    const browser = account && (await browsers.find(request.headers, account.id));
    const attempt = await attempts.take(address, 'password', credentials.email, browser);
    if (account) await options.stores.secondFactors.prepareSignIn(account.id);
    const outcome = await beginSession(context, credentials);
    await attempt.giveBack();
    return outcome;
  });
}

export async function signOut({ auth, headers }: SignInContext): Promise<Outcome> {
  const { headers: cookies } = await auth.api.signOut({ headers, returnHeaders: true });
  return { ...DONE, headers: cookies };
}

async function signUpByMail(context: SignInContext, mailer: Mailer, email: string): Promise<void> {
  const { accounts } = context.options.stores;
  if (await accounts.findByEmail(email)) return mailer.knownAddress(email);
  await mailer.verifyAddress(email, await createLink(context, 'sign-up', email));
}

/** `undefined` if the address is taken. The address counts as confirmed if mail is sent. */
async function createAccount(context: SignInContext, { email, password }: Credentials) {
  const { authContext, options, mailer } = context;
  const hash = await authContext.password.hash(password);
  const isConfirmed = mailer !== undefined;
  return options.stores.accounts.signUp(email, hash, options.clock.now().wall, isConfirmed);
}
