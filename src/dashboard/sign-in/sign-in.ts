import { MINUTE } from '../../lib/clock.ts';
import type { SignIn } from '../session.ts';
import { Attempts } from './attempts.ts';
import { type Auth, createAuth } from './auth.ts';
import { callerHeaders } from './caller.ts';
import { createLetters } from './letters.ts';
import { createResetLink } from './links.ts';
import type { SignInOptions } from './options.ts';
import { answer } from './routes.ts';

/** How long a sign-in counts as recent, in ms. */
const RECENT = 15 * MINUTE;

/** Accounts, passwords and sessions on better-auth, kept in the stores' own tables. */
export async function createSignIn(options: SignInOptions): Promise<SignIn> {
  const { addresses, mail, clock, stores } = options;
  const attempts = new Attempts(options.attempts, clock);
  const letters = mail && createLetters(mail, addresses.dashboard, attempts);
  const auth: Auth = await createAuth(options, letters);
  const jobs = new Set<Promise<void>>();
  const shared = { auth, options, attempts, letters, jobs };
  return {
    handle: (request, path, address) => answer(shared, request, path, address),
    async session(sent) {
      const headers = callerHeaders(sent);
      const found = await auth.api.getSession({ headers, query: { disableRefresh: true } });
      const account = found && (await stores.accounts.find(found.user.id));
      if (!account) return undefined;
      const age = clock.now().wall - found.session.createdAt.getTime();
      return { account, isRecent: age >= 0 && age < RECENT };
    },
    async renew(sent, reply) {
      const headers = callerHeaders(sent);
      const renewed = await auth.api.getSession({ headers, returnHeaders: true });
      for (const cookie of renewed.headers.getSetCookie()) reply.append('Set-Cookie', cookie);
    },
    async close() {
      await Promise.all(jobs);
    },
    resetLink: (email) => createResetLink(auth, options, email),
  };
}
