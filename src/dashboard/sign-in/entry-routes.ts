import { forgetEnded } from './sessions.ts';
import { DONE, inBackground, newPassword, type Outcome, type Visit } from './visit.ts';

export async function signUp(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers, options } = visit;
  const fields = await visit.fields();
  const body = { name: '', email: fields.email(), password: newPassword(fields, 'password') };
  attempts.take(address, 'mail', body.email);
  if (options.mail) {
    // Answered before it is done: neither the words nor the time tell whether the address is known.
    inBackground(visit, 'sign-up', () => auth.api.signUpEmail({ body, headers }));
    return { body: { user: null } };
  }
  // Without mail nobody can be told in private that the address has an account, so it is refused.
  const former = await formerSession(visit);
  const made = await auth.api.signUpEmail({ body, headers, returnHeaders: true });
  await former.end();
  return { body: { user: publicUser(made.response.user) }, headers: made.headers };
}

export async function signIn(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers } = visit;
  const fields = await visit.fields();
  const body = { email: fields.email(), password: fields.text('password') };
  const attempt = attempts.take(address, 'password', body.email);
  const former = await formerSession(visit);
  const entered = await auth.api.signInEmail({ body, headers, returnHeaders: true });
  attempt.giveBack();
  await former.end();
  await forgetEnded(auth, entered.response.user.id);
  return { body: { user: publicUser(entered.response.user) }, headers: entered.headers };
}

export async function signOut({ auth, headers }: Visit): Promise<Outcome> {
  const left = await auth.api.signOut({ headers, returnHeaders: true });
  return { ...DONE, headers: left.headers };
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
