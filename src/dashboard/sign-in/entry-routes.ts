import type { Letters } from './letters.ts';
import { hashPassword } from './passwords.ts';
import { TAKEN } from './refusals.ts';
import { trimSessions } from './sessions.ts';
import { DONE, inBackground, newPassword, type Outcome, type Visit } from './visit.ts';

export async function signUp(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers, letters } = visit;
  const fields = await visit.fields();
  const body = { email: fields.email().toLowerCase(), password: newPassword(fields, 'password') };
  await attempts.take(address, 'mail', body.email);
  if (letters) {
    // Answered before it is done: neither the words nor the time tell whether the address is known.
    inBackground(visit, 'sign-up', () => signUpByMail(visit, letters, body));
    return { body: { user: null } };
  }
  // Without mail nobody can be told in private that the address has an account, so it is refused.
  const former = await formerSession(visit);
  if (!(await createAccount(visit, body))) throw TAKEN;
  const entered = await auth.api.signInEmail({ body, headers, returnHeaders: true });
  await former.end();
  return { body: { user: publicUser(entered.response.user) }, headers: entered.headers };
}

export async function signIn(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers } = visit;
  const fields = await visit.fields();
  const body = { email: fields.email(), password: fields.text('password') };
  const attempt = await attempts.take(address, 'password', body.email);
  const former = await formerSession(visit);
  const entered = await auth.api.signInEmail({ body, headers, returnHeaders: true });
  await attempt.giveBack();
  await former.end();
  await trimSessions(auth, entered.response.user.id, entered.response.token);
  return { body: { user: publicUser(entered.response.user) }, headers: entered.headers };
}

export async function signOut({ auth, headers }: Visit): Promise<Outcome> {
  const left = await auth.api.signOut({ headers, returnHeaders: true });
  return { ...DONE, headers: left.headers };
}

interface Credentials {
  readonly email: string;
  readonly password: string;
}

async function signUpByMail(visit: Visit, letters: Letters, given: Credentials): Promise<void> {
  const { email } = given;
  if (!(await createAccount(visit, given))) return letters.knownAddress(email);
  // Without the cookie: whoever is signed in as somebody else may sign up, too.
  await visit.auth.api.sendVerificationEmail({ body: { email }, headers: new Headers() });
}

/** `undefined` when the address is taken; as late as otherwise, so that the time does not tell. */
async function createAccount({ options }: Visit, { email, password }: Credentials) {
  const hash = await hashPassword(password);
  return options.stores.accounts.signUp(email, hash, options.clock.now().wall);
}

/** The session that the request came with; it ends when another begins in its place. */
async function formerSession({ auth, headers }: Visit): Promise<{ end(): Promise<void> }> {
  const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
  return {
    async end() {
      if (found) await (await auth.$context).internalAdapter.deleteSession(found.session.token);
    },
  };
}

function publicUser({ id, email }: { id: string; email: string }) {
  return { id, email };
}
