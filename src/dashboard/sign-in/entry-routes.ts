import { DashboardError } from '../errors.ts';
import { emailFrom, newPasswordFrom, readCredentials } from './bodies.ts';
import { DONE, inBackground, type Outcome, type SignInContext } from './context.ts';
import type { Mailer } from './mailer.ts';
import { refuseGuessable } from './password-strength.ts';
import { hashPassword } from './passwords.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/**
 * Signing up is not better-auth's: an account is made in one write, with its entry in the audit log.
 */
export async function signUp(context: SignInContext): Promise<Outcome> {
  const { attempts, address, mailer, request } = context;
  const fields = await readCredentials(request);
  const email = emailFrom(fields.email).toLowerCase();
  const credentials = { email, password: newPasswordFrom(fields.password) };
  const attempt = await attempts.take(address, 'mail', email);
  await refuseGuessable(credentials.password, email, attempt);
  if (mailer) {
    // Replies before it is done: neither the words nor the time tell whether the address is known.
    inBackground(context, 'sign-up', () => signUpByMail(context, mailer, credentials));
    return { body: { user: null } };
  }
  // Without mail the holder cannot be told in private that the address has an account.
  if (await createAccount(context, credentials)) return beginSession(context, credentials);
  throw new DashboardError(
    'conflict',
    'This address has an account already. Sign in, or use another address.',
  );
}

export async function signIn(context: SignInContext): Promise<Outcome> {
  const fields = await readCredentials(context.request);
  const credentials = { email: emailFrom(fields.email), password: fields.password };
  const { attempts, browsers, address, request } = context;
  const browser = browsers.find(request.headers, credentials.email);
  const attempt = await attempts.take(address, 'password', credentials.email, browser);
  const outcome = await beginSession(context, credentials);
  await attempt.giveBack();
  return outcome;
}

export async function signOut({ auth, headers }: SignInContext): Promise<Outcome> {
  const { headers: cookies } = await auth.api.signOut({ headers, returnHeaders: true });
  return { ...DONE, headers: cookies };
}

/** Signs in, then ends the session that the request came with, if any. The browser is known from now on. */
async function beginSession(context: SignInContext, body: Credentials): Promise<Outcome> {
  const { auth, headers, browsers, request } = context;
  const begun = await auth.api.signInEmail({ body, headers, returnHeaders: true });
  await auth.api.signOut({ headers });
  const { id, email } = begun.response.user;
  begun.headers.append('Set-Cookie', browsers.remember(request.headers, email));
  return { body: { user: { id, email } }, headers: begun.headers };
}

async function signUpByMail(
  context: SignInContext,
  mailer: Mailer,
  credentials: Credentials,
): Promise<void> {
  const { email } = credentials;
  if (!(await createAccount(context, credentials))) return mailer.knownAddress(email);
  // Without the cookie: somebody who is signed in to another account may sign up, too.
  await context.auth.api.sendVerificationEmail({ body: { email }, headers: new Headers() });
}

/** `undefined` when the address is taken; it takes as long either way, so that the time does not tell. */
async function createAccount({ options }: SignInContext, { email, password }: Credentials) {
  const hash = await hashPassword(password);
  return options.stores.accounts.signUp(email, hash, options.clock.now().wall);
}
