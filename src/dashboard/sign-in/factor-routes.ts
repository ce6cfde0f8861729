import { DashboardError } from '../errors.ts';
import { requireSession } from '../session-requirements.ts';
import type { SecondFactorsInfo, TotpInfo } from '../shared/api.ts';
import { readCode } from './bodies.ts';
import { DONE, type Outcome, type SignInContext } from './context.ts';
import { WRONG_CODE } from './errors.ts';
import {
  codesOutcome,
  factorChange,
  newFactor,
  notify,
  requireRecentProof,
} from './factor-changes.ts';
import { issuerOf } from './factor-plugins.ts';
import { digestOfCode, newRecoveryCodes } from './recovery-codes.ts';
import { decryptTotpSecret, describeTotp, matchingStep, newTotpSecret } from './totp.ts';

export async function listFactors(context: SignInContext): Promise<Outcome> {
  const { account } = requireSession(context.session);
  const factors = await context.options.stores.secondFactors.of(account.id);
  const { hasTotp, recoveryCodesLeft } = factors;
  const passkeys = factors.passkeys.map(({ id, name, createdAt }) => {
    return { id, name, createdAt: new Date(createdAt).toISOString() };
  });
  const body: SecondFactorsInfo = { hasTotp, recoveryCodesLeft, passkeys };
  return { body };
}

/**
 * Creates the secret of an authenticator app. It becomes a second factor once a code of it is
 * confirmed.
 */
export async function beginTotp(context: SignInContext): Promise<Outcome> {
  const { account } = await requireRecentProof(context);
  const { authContext, options } = context;
  const { secret, encrypted } = await newTotpSecret(authContext);
  if (!(await options.stores.secondFactors.beginTotp(account.id, encrypted))) throw appExists();
  const body: TotpInfo = describeTotp(secret, issuerOf(options.addresses.dashboard), account.email);
  return { body };
}

export async function confirmTotp(context: SignInContext): Promise<Outcome> {
  const session = await requireRecentProof(context);
  const { authContext, attempts, address, options, request } = context;
  const code = (await readCode(request)).code.replaceAll(/\s/g, '');
  const { account, id } = session;
  const { secondFactors } = options.stores;
  const attempt = await attempts.take(address, 'code', account.email, id);
  const encrypted = await secondFactors.totpSecret(account.id);
  if (session.factors.hasTotp || !encrypted) throw appExists();
  const secret = await decryptTotpSecret(authContext, encrypted);
  const step = await matchingStep(secret, code);
  if (step === undefined) throw new DashboardError(...WRONG_CODE);
  await attempt.giveBack();
  const { codes, factor } = newFactor(context, session);
  const added = await secondFactors.confirmTotp(factor, encrypted, step);
  if (!added.isAdded) throw appExists();
  notify(context, account, 'An authenticator app was added to your account.');
  return codesOutcome(added.hasNewCodes ? codes : null);
}

export async function removeTotp(context: SignInContext): Promise<Outcome> {
  const { account } = await requireRecentProof(context);
  const { secondFactors } = context.options.stores;
  if (!(await secondFactors.removeTotp(factorChange(context, account)))) {
    throw new DashboardError('not_found', 'This account has no authenticator app any more.');
  }
  notify(context, account, 'The authenticator app was removed from your account.');
  return DONE;
}

export async function renewRecoveryCodes(context: SignInContext): Promise<Outcome> {
  const { account } = await requireRecentProof(context);
  const codes = newRecoveryCodes();
  const change = factorChange(context, account);
  const { secondFactors } = context.options.stores;
  if (!(await secondFactors.renewRecoveryCodes(change, codes.map(digestOfCode)))) {
    throw new DashboardError('conflict', 'Set up a second factor first.');
  }
  notify(context, account, 'Your recovery codes were replaced by new ones.');
  return codesOutcome(codes);
}

function appExists() {
  return new DashboardError(
    'conflict',
    'The authenticator app was set up or replaced elsewhere meanwhile. Reload the page.',
  );
}
