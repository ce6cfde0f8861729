import { DashboardError } from '../errors.ts';
import { enter, withoutSession } from './begin-session.ts';
import { readCode } from './bodies.ts';
import type { Outcome, SignInContext } from './context.ts';
import { PASSWORD_FIRST, WRONG_CODE } from './errors.ts';
import { factorChange, notify } from './factor-changes.ts';
import { digestOfCode } from './recovery-codes.ts';
import { decryptTotpSecret, matchingStep } from './totp.ts';

/** Completes a sign-in with the code of an authenticator app. */
export async function signInWithCode(context: SignInContext): Promise<Outcome> {
  const code = (await readCode(context.request)).code.replaceAll(/\s/g, '');
  const { auth, account, attempt, headers } = await takeSecondStep(context);
  await useUp(context, account.id, code);
  const begun = await auth.api.verifyTOTP({ body: { code }, headers, returnHeaders: true });
  await attempt.giveBack();
  return enter(context, begun);
}

/** Completes a sign-in with a recovery code, which is used up. */
export async function signInWithRecoveryCode(context: SignInContext): Promise<Outcome> {
  const body = { code: digestOfCode((await readCode(context.request)).code) };
  const { auth, account, attempt, headers } = await takeSecondStep(context);
  const begun = await auth.api.verifyBackupCode({ body, headers, returnHeaders: true });
  await attempt.giveBack();
  const { stores } = context.options;
  const { recoveryCodesLeft } = await stores.secondFactors.of(account.id);
  const { now: at, by, accountId } = factorChange(context, account);
  const detail = `${recoveryCodesLeft} left`;
  await stores.audit.record({ at, by, accountId, action: 'second_factor.code_used', detail });
  notify(context, account, `Somebody signed in with a recovery code; ${detail}.`);
  return enter(context, begun);
}

/**
 * Counts a guess at the second factor of the account whose password was given.
 * @throws ApiError `sign_in_again` if no password was given, or too long ago
 */
async function takeSecondStep(context: SignInContext) {
  const { auth, attempts, browsers, address, options, request } = context;
  const headers = withoutSession(context);
  const accountId = await auth.api.findChallengedAccount({ headers });
  const account = accountId && (await options.stores.accounts.find(accountId));
  if (!account) {
    await attempts.take(address);
    throw new DashboardError(...PASSWORD_FIRST);
  }
  const browser = await browsers.find(request.headers, account.id);
  const attempt = await attempts.take(address, 'code', account.email, browser);
  return { auth, account, attempt, headers };
}

/**
 * Makes sure that a code is accepted only once (RFC 6238, 5.2), which better-auth does not check.
 * @throws ApiError
 */
async function useUp(
  { authContext, options }: SignInContext,
  accountId: string,
  code: string,
): Promise<void> {
  const { secondFactors } = options.stores;
  const encrypted = await secondFactors.totpSecret(accountId);
  if (!encrypted) return;
  const secret = await decryptTotpSecret(authContext, encrypted);
  const step = await matchingStep(secret, code);
  // better-auth counts wrong codes itself.
  if (step === undefined || (await secondFactors.acceptTotpStep(accountId, step))) return;
  throw new DashboardError(...WRONG_CODE);
}
