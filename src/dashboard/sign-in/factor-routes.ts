import { DashboardError } from '../errors.ts';
import { requireSession } from '../session-requirements.ts';
import type { SecondFactorsInfo, TotpInfo } from '../shared/api.ts';
import { readTotpConfirmation } from './bodies.ts';
import { DONE, type Outcome, type SignInContext } from './context.ts';
import { WRONG_CODE } from './errors.ts';
import {
  addedOutcome,
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
  const { uri, key } = describeTotp(secret, issuerOf(options.addresses.dashboard), account.email);
  const body: TotpInfo = { uri, key, setUpId: setUpIdOf(encrypted) };
  return { body };
}

export async function confirmTotp(context: SignInContext): Promise<Outcome> {
  const session = await requireRecentProof(context);
  const { authContext, attempts, address, options, request } = context;
  const { code: entered, setUpId } = await readTotpConfirmation(request);
  const code = entered.replaceAll(/\s/g, '');
  const { account, id } = session;
  const { secondFactors } = options.stores;
  const attempt = await attempts.take(address, 'code', account.email, id);
  const encrypted = await secondFactors.totpSecret(account.id);
  if (!encrypted || setUpId !== setUpIdOf(encrypted)) throw setUpReplaced();
  if (session.factors.hasTotp) throw appExists();
  const secret = await decryptTotpSecret(authContext, encrypted);
  const step = await matchingStep(secret, code, options.clock.now().wall);
  if (step === undefined) throw new DashboardError(...WRONG_CODE);
  await attempt.giveBack();
  const set = newFactor(context, session);
  const added = await secondFactors.confirmTotp(set.factor, encrypted, step);
  if (!added.isAdded) throw setUpReplaced();
  notify(context, account, 'factor.added', 'An authenticator app was added to your account.');
  return addedOutcome(context, set, added);
}

export async function removeTotp(context: SignInContext): Promise<Outcome> {
  const { account } = await requireRecentProof(context);
  const { secondFactors } = context.options.stores;
  if (!(await secondFactors.removeTotp(factorChange(context, account)))) {
    throw new DashboardError(
      'not_found',
      'This account has no authenticator app any more. Reload the page.',
    );
  }
  notify(
    context,
    account,
    'factor.removed',
    'The authenticator app was removed from your account.',
  );
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
  notify(
    context,
    account,
    'second_factor.codes_renewed',
    'Your recovery codes were replaced by new ones.',
  );
  return codesOutcome(codes);
}

function appExists() {
  return new DashboardError(
    'conflict',
    'This account has an authenticator app already. Reload the page to see it.',
  );
}

function setUpReplaced() {
  return new DashboardError(
    'conflict',
    'An authenticator app was set up in another window meanwhile, so this key does not work. Delete it from the app, and reload the page.',
  );
}

/** Identifies a set-up: an account keeps only the secret of the latest one. */
function setUpIdOf(encryptedSecret: string): string {
  return new Bun.CryptoHasher('sha256').update(encryptedSecret).digest('hex');
}
