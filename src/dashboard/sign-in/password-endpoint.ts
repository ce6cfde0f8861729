import { APIError, createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { renewHash } from './renew-hash.ts';

/** The type of the body; `createAuthEndpoint` infers it from a value. */
const BODY: { email: string; password: string } = { email: '', password: '' };

/**
 * Begins a session by a password. better-auth's own endpoint refuses some addresses, such as those
 * with `&` or with an internationalised top-level domain. Not served over HTTP. After a path of this
 * name better-auth's plugin asks for the second factor.
 */
export const signInWithPassword = createAuthEndpoint(
  '/sign-in/username',
  { method: 'POST', metadata: { SERVER_ONLY: true, $Infer: { body: BODY } } },
  async (endpoint) => {
    const { context, body } = endpoint;
    const { internalAdapter, password: passwords } = context;
    const found = await internalAdapter.findUserByEmail(body.email, { includeAccounts: true });
    const credential = found?.accounts.find(({ providerId }) => providerId === 'credential');
    if (!found || !credential?.password) {
      // Takes as long as checking the password of an account.
      await passwords.hash(body.password);
      throw refused('INVALID_EMAIL_OR_PASSWORD');
    }
    const { id, password: hash } = credential;
    if (!(await passwords.verify({ hash, password: body.password }))) {
      throw refused('INVALID_EMAIL_OR_PASSWORD');
    }
    const { user } = found;
    const mustBeConfirmed = context.options.emailAndPassword?.requireEmailVerification;
    if (mustBeConfirmed && !user.emailVerified) throw refused('EMAIL_NOT_VERIFIED');
    await renewHash(context, { id, hash }, body.password);
    const session = await internalAdapter.createSession(user.id);
    if (!session) throw refused('FAILED_TO_CREATE_SESSION');
    await setSessionCookie(endpoint, { session, user });
    return endpoint.json({ user: { id: user.id, email: user.email } });
  },
);

/** @param code which `errors.ts` translates for clients. */
function refused(code: string) {
  return new APIError('UNAUTHORIZED', { code });
}
