import type { SignIn } from '../session.ts';
import { Attempts } from './attempts.ts';
import { cookieOf, createAuth } from './auth.ts';
import { clientHeaders } from './client-headers.ts';
import { CookieSignatures } from './cookie-signatures.ts';
import { KnownBrowsers } from './known-browsers.ts';
import { createLink } from './links.ts';
import { createMailer, linkTo } from './mailer.ts';
import { moveSecondFactors } from './moved-factors.ts';
import type { SignInOptions } from './options.ts';
import { handle } from './routes.ts';
import { SecurityEvents } from './security-events.ts';
import { findSession } from './session-age.ts';

/** Accounts, passwords and sessions on better-auth, stored in the stores' own tables. */
export async function createSignIn(options: SignInOptions): Promise<SignIn> {
  const { addresses, mail, clock, stores } = options;
  const attempts = new Attempts(options.attempts, clock, options.signUpLimits);
  const mailer = mail && createMailer(mail, addresses.dashboard, attempts);
  const auth = await createAuth(options);
  const events = new SecurityEvents(options);
  const jobs = new Set<Promise<void>>();
  const cookie = cookieOf(addresses.dashboard, 'browser');
  const authContext = await auth.$context;
  const { internalAdapter, adapter } = authContext;
  const browsers = new KnownBrowsers(stores.secrets, cookie, clock, async (accountId) => {
    return (await internalAdapter.findCredentialAccount(accountId))?.password;
  });
  const signatures = new CookieSignatures(authContext, stores.secrets);
  const isToMove = async (sent: Headers) =>
    signatures.arePrevious(sent.get('cookie') ?? '') && (await stores.secrets.isLatest());
  const security = { events, browsers, signatures };
  const parts = { auth, authContext, options, attempts, ...security, mailer, jobs };
  return {
    handle: (request, path, address) => handle(parts, request, path, address),
    async session(sent) {
      const headers = clientHeaders(sent, signatures);
      if (headers.get('cookie') === '') return undefined;
      const found = await findSession(parts, headers);
      if (!found) return undefined;
      const { id, account, isRecent, isProven } = found;
      return { id, account, isRecent, isProven };
    },
    async liveSessions(ids) {
      const where = [
        { field: 'id', operator: 'in' as const, value: [...ids] },
        { field: 'expiresAt', operator: 'gt' as const, value: new Date(clock.now().wall) },
      ];
      const found = await adapter.findMany<{ id: string }>({ model: 'session', where });
      return new Set(found.map(({ id }) => id));
    },
    async renew(sent, reply) {
      const headers = clientHeaders(sent, signatures);
      const renewed = await auth.api.getSession({ headers, returnHeaders: true });
      // Without a session, the cookie would be deleted, which by now may be that of a later sign-in.
      if (!renewed.response) return;
      const cookies = renewed.headers.getSetCookie();
      if (cookies.length === 0 && (await isToMove(sent))) {
        const query = { token: renewed.response.session.token };
        const moved = await auth.api.replaceSessionCookie({ headers, query, returnHeaders: true });
        cookies.push(...moved.headers.getSetCookie());
      }
      for (const cookie of cookies) reply.append('Set-Cookie', cookie);
    },
    moveSecondFactors: () => moveSecondFactors(parts),
    async resetLink(email) {
      const account = await stores.accounts.findByEmail(email);
      if (!account) return undefined;
      const token = await createLink(parts, 'reset-password', account.id);
      return linkTo(addresses.dashboard, 'reset-password', token);
    },
    async close() {
      await Promise.all([...jobs, events.close()]);
    },
  };
}
