/**
 * How an attempt to sign in ended. `second_factor`: the password was right, and a second factor is asked for, whose
 * outcome counts separately.
 */
export const SIGN_IN_OUTCOMES = ['succeeded', 'refused', 'limited', 'second_factor'] as const;

export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

/** Why a request to the dashboard was refused, where that may be an attack. */
export const REFUSAL_REASONS = [
  'other_site',
  'forbidden',
  'suspended',
  'second_factor_required',
  'sign_in_again',
  'wrong_password',
  'invalid_link',
  'too_many_attempts',
  'rate_limited',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Counts what operators watch to notice attacks. */
export interface SecurityMetrics {
  recordSignIn(outcome: SignInOutcome): void;
  recordRefusal(reason: RefusalReason): void;
}
