import type { Account } from '../../core/accounts/accounts.ts';
import type { AuditAction } from '../../core/accounts/audit.ts';
import type { AddedFactor, FactorChange, NewFactor } from '../../core/accounts/second-factors.ts';
import { requireRecent, requireSession } from '../session-requirements.ts';
import type { RecoveryCodes } from '../shared/api.ts';
import { inBackground, type Outcome, type SignInContext } from './context.ts';
import { digestOfCode, newRecoveryCodes } from './recovery-codes.ts';
import { newSessionToken } from './session-cookie-endpoint.ts';

/** The account, time and author of a change of second factors by the holder of the account. */
export function factorChange(
  { options, client }: SignInContext,
  { id, email }: Account,
): FactorChange {
  return { accountId: id, now: options.clock.now().wall, by: email, client };
}

/**
 * The session of a request to change second factors. Its sign-in must be recent, and must have been
 * proven with a second factor if the account has any.
 * @throws ApiError `signed_out` or `sign_in_again`
 */
export async function requireRecentProof(context: SignInContext) {
  const session = requireSession(context.session);
  requireRecent(session);
  const factors = await context.options.stores.secondFactors.of(session.account.id);
  if (factors.hasAny) requireRecent({ isRecent: session.isProven });
  return { ...session, factors };
}

/** A new second factor of this session, with recovery codes for an account that has none. */
export function newFactor(
  context: SignInContext,
  session: { readonly id: string; readonly account: Account },
): { codes: readonly string[]; factor: NewFactor } {
  const codes = newRecoveryCodes();
  const recoveryCodes = codes.map(digestOfCode);
  const change = factorChange(context, session.account);
  const sessionToken = newSessionToken();
  return { codes, factor: { ...change, sessionId: session.id, sessionToken, recoveryCodes } };
}

/** The reply to an added factor: it replaces the cookie of the session, and shows recovery codes if they are new. */
export async function addedOutcome(
  { auth, headers }: SignInContext,
  { factor, codes }: ReturnType<typeof newFactor>,
  { hasNewCodes }: AddedFactor,
): Promise<Outcome> {
  const query = { token: factor.sessionToken };
  const replaced = await auth.api.replaceSessionCookie({ headers, query, returnHeaders: true });
  return { ...codesOutcome(hasNewCodes ? codes : null), headers: replaced.headers };
}

/** The reply that shows recovery codes, if there are new ones. */
export function codesOutcome(codes: readonly string[] | null): Outcome {
  const body: RecoveryCodes = { recoveryCodes: codes };
  return { body };
}

/** Logs a change of second factors, and notifies the holder of the account. @param change as a sentence. */
export function notify(
  context: SignInContext,
  account: Account,
  action: AuditAction,
  change: string,
): void {
  context.events.factorChanged(account, context.client, action);
  mailFactorChange(context, account, change);
}

/** Notifies the holder of the account of the change, if mail is sent. */
export function mailFactorChange(context: SignInContext, { email }: Account, change: string): void {
  const { mailer } = context;
  if (mailer)
    inBackground(context, 'second factor', () => mailer.secondFactorChanged(email, change));
}
