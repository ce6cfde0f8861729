import { DashboardError } from '../errors.ts';
import { enter, withoutSession } from './begin-session.ts';
import { readCode } from './bodies.ts';
import type { Outcome, SignInContext } from './context.ts';
import { PASSWORD_FIRST, WRONG_CODE } from './errors.ts';
import { mailFactorChange } from './factor-changes.ts';
import { digestOfCode } from './recovery-codes.ts';
import { type Attempted, reported } from './reported-sign-in.ts';
import { codeForBetterAuth, decryptTotpSecret, matchingStep } from './totp.ts';

/** Is never the code of an app, so that better-auth counts it as a wrong one. */
const NO_CODE = '';

/** Completes a sign-in with the code of an authenticator app. */
export function signInWithCode(context: SignInContext): Promise<Outcome> {
  return reported(context, 'code', async (attempted) => {
    const entered = (await readCode(context.request)).code.replaceAll(/\s/g, '');
    const { auth, account, attempt, headers } = await takeSecondStep(context, attempted);
    const code = await useUp(context, account.id, entered);
    const begun = await auth.api.verifyTOTP({ body: { code }, headers, returnHeaders: true });
    await attempt.giveBack();
    return enter(context, begun);
  });
}

/** Completes a sign-in with a recovery code, which is used up. */
export function signInWithRecoveryCode(context: SignInContext): Promise<Outcome> {
  return reported(context, 'recoveryCode', async (attempted) => {
    const body = { code: digestOfCode((await readCode(context.request)).code) };
    const { auth, account, attempt, headers } = await takeSecondStep(context, attempted);
    const begun = await auth.api.verifyBackupCode({ body, headers, returnHeaders: true });
    await attempt.giveBack();
    const { recoveryCodesLeft } = await context.options.stores.secondFactors.of(account.id);
    const detail = `${recoveryCodesLeft} left`;
    const { events, client } = context;
    await events.credentialEvent('second_factor.code_used', account, client, detail);
    mailFactorChange(context, account, `Somebody signed in with a recovery code; ${detail}.`);
    return enter(context, begun);
  });
}

/**
 * Counts a guess at the second factor of the account whose password was given.
 * @throws ApiError `sign_in_again` if no password was given, or too long ago
 */
async function takeSecondStep(context: SignInContext, attempted: Attempted) {
  const { auth, attempts, browsers, address, options, request } = context;
  const headers = withoutSession(context);
  const accountId = await auth.api.findChallengedAccount({ headers });
  const account = accountId && (await options.stores.accounts.find(accountId));
  if (!account) {
    await attempts.take(address);
    throw new DashboardError(...PASSWORD_FIRST);
  }
  attempted.account = account;
  const browser = await browsers.find(request.headers, account.id);
  const attempt = await attempts.take(address, 'code', account.email, browser);
  return { auth, account, attempt, headers };
}

/**
 * Makes sure that only the current code and the one before are accepted, and each only once
 * (RFC 6238, 5.2). better-auth accepts the next code, too, and every code repeatedly.
 * @returns the code to pass to better-auth, which counts wrong codes.
 * @throws ApiError if the code was used before
 */
async function useUp(
  { authContext, options }: SignInContext,
  accountId: string,
  code: string,
): Promise<string> {
  const { secondFactors } = options.stores;
  const encrypted = await secondFactors.totpSecret(accountId);
  if (!encrypted) return NO_CODE;
  const secret = await decryptTotpSecret(authContext, encrypted);
  const step = await matchingStep(secret, code, options.clock.now().wall);
  if (step === undefined) return NO_CODE;
  if (await secondFactors.acceptTotpStep(accountId, step)) return codeForBetterAuth(secret);
  throw new DashboardError(...WRONG_CODE);
}
