import { DashboardError } from './errors.ts';
import type { DashboardOptions } from './options.ts';
import type { Session } from './session.ts';

/** @throws ApiError `signed_out` */
export function requireSession<S>(session: S | undefined): S {
  if (session) return session;
  throw new DashboardError('signed_out', 'You are signed out. Sign in and try again.');
}

/** @throws ApiError `sign_in_again` when the sign-in is not recent. */
export function requireRecent({ isRecent }: Pick<Session, 'isRecent'>): void {
  if (isRecent) return;
  throw new DashboardError(
    'sign_in_again',
    'Your sign-in is too long ago for this. Sign in again.',
  );
}

/** @throws ApiError `suspended` */
export function requireActive({ account }: Pick<Session, 'account'>): void {
  if (!account.suspension) return;
  throw new DashboardError(
    'suspended',
    `Your account is suspended (${account.suspension.reason}). Until an operator resumes it, you can look at everything, revoke keys, end sessions, and change your password and second factors.`,
  );
}

/** Whether this account needs a session that was proven with a second factor to change anything. */
export function needsProof(
  { account }: Pick<Session, 'account'>,
  { operatorsNeedSecondFactor }: Pick<DashboardOptions, 'operatorsNeedSecondFactor'>,
): boolean {
  return operatorsNeedSecondFactor && account.role === 'operator';
}

/**
 * @throws ApiError `second_factor_required` if the session must be proven with a second factor and
 * is not.
 */
export function requireProof(
  session: Pick<Session, 'account' | 'isProven'>,
  options: Pick<DashboardOptions, 'operatorsNeedSecondFactor'>,
): void {
  if (session.isProven || !needsProof(session, options)) return;
  throw new DashboardError(
    'second_factor_required',
    'Operators need a second factor to change anything. Set one up on the Account page, then try again.',
  );
}
