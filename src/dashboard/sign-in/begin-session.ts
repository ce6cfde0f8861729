import type { SecondFactor, SecondFactors } from '../../core/accounts/second-factors.ts';
import type { Entered } from '../shared/api.ts';
import { cookieOf } from './auth.ts';
import { CHALLENGE_COOKIE } from './challenge-endpoint.ts';
import type { SignInContext } from './context.ts';
import type { EntryOutcome } from './reported-sign-in.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** A session that better-auth began: its user, and the headers that set its cookie. */
interface Begun {
  readonly response: { readonly user: { readonly id: string; readonly email: string } };
  readonly headers: Headers;
}

/** Signs in with a password. If a second factor is required, the session begins after that. */
export async function beginSession(
  context: SignInContext,
  body: Credentials,
): Promise<EntryOutcome> {
  const { auth, headers } = context;
  const begun = await auth.api.signInWithPassword({ body, headers, returnHeaders: true });
  if (!('twoFactorRedirect' in begun.response)) return enter(context, begun);
  return askForSecondFactor(context, body.email, begun.headers);
}

/**
 * Completes a sign-in: ends the earlier session of the request, if any, and remembers the browser.
 */
export async function enter(
  { auth, headers, browsers, request }: SignInContext,
  begun: Begun,
): Promise<EntryOutcome> {
  await auth.api.signOut({ headers });
  const { id, email } = begun.response.user;
  begun.headers.append('Set-Cookie', await browsers.remember(request.headers, id));
  const body: Entered = { user: { id, email } };
  return { body, headers: begun.headers };
}

/** The headers without the session, which better-auth would otherwise use for the new sign-in. */
export function withoutSession({ headers, options }: SignInContext): Headers {
  const { name } = cookieOf(options.addresses.dashboard, 'session');
  const pairs = (headers.get('cookie') ?? '').split(/; */);
  const others = pairs.filter((pair) => !pair.startsWith(`${name}=`));
  const changed = new Headers(headers);
  changed.set('cookie', others.join('; '));
  return changed;
}

/**
 * Replies with only the cookie of the challenge: an existing session continues until the next step.
 */
async function askForSecondFactor(
  { options }: SignInContext,
  email: string,
  sent: Headers,
): Promise<EntryOutcome> {
  const { accounts, secondFactors } = options.stores;
  const account = await accounts.findByEmail(email);
  const factors = account && (await secondFactors.of(account.id));
  const headers = new Headers();
  for (const cookie of sent.getSetCookie()) {
    if (cookie.split('=', 1)[0]?.endsWith(`.${CHALLENGE_COOKIE}`)) {
      headers.append('Set-Cookie', cookie);
    }
  }
  const body: Entered = { user: null, secondFactors: factors ? waysIn(factors) : [] };
  return { body, headers };
}

function waysIn({ hasTotp, passkeys, recoveryCodesLeft }: SecondFactors): SecondFactor[] {
  return [
    ...(hasTotp ? (['totp'] as const) : []),
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(recoveryCodesLeft > 0 ? (['recovery_code'] as const) : []),
  ];
}
