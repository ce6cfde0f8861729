import { isAPIError } from 'better-auth/api';
import { invalid, Refused } from '../refused.ts';
import { PASSWORD_LENGTHS } from '../shared/bounds.ts';

export function signedOut(): Refused {
  return new Refused('signed_out', 'You are signed out. Sign in first.');
}

const OVER = invalid('This link is over, or was used before. Ask for a new one.');
export const WRONG_LENGTH = invalid(
  `A password has ${PASSWORD_LENGTHS.least} to ${PASSWORD_LENGTHS.most} characters.`,
);
export const TAKEN = new Refused(
  'conflict',
  'This address has an account already. Sign in, or use another address.',
);
const LATER = new Refused('unavailable', 'This cannot be done just now. Try again.', {
  headers: { 'Retry-After': '1' },
});

/** What better-auth's codes mean to the person who asked. */
const REFUSALS: Readonly<Record<string, Refused>> = {
  INVALID_EMAIL_OR_PASSWORD: new Refused('invalid', 'The address or the password is wrong.', {
    status: 401,
  }),
  EMAIL_NOT_VERIFIED: new Refused(
    'not_verified',
    'Your address is not confirmed. Open the link that was mailed to you.',
  ),
  FAILED_TO_CREATE_SESSION: LATER,
  INVALID_TOKEN: OVER,
  TOKEN_EXPIRED: OVER,
  USER_NOT_FOUND: OVER,
  INVALID_PASSWORD: invalid('The password is wrong.'),
  CREDENTIAL_ACCOUNT_NOT_FOUND: invalid('This account has no password. Reset it first.'),
  PASSWORD_TOO_SHORT: WRONG_LENGTH,
  PASSWORD_TOO_LONG: WRONG_LENGTH,
  UNAUTHORIZED: signedOut(),
};

/** The refusal that an error stands for; `undefined` when it is a failure of ours. */
export function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof Refused) return error;
  return isAPIError(error) ? REFUSALS[error.body?.code ?? ''] : undefined;
}
