import { isAPIError } from 'better-auth/api';
import { DashboardError } from '../errors.ts';
import { PASSWORD_LENGTHS } from '../shared/bounds.ts';
import { LOCK_LASTS } from './factor-plugins.ts';

type ErrorArguments = ConstructorParameters<typeof DashboardError>;

/** The error for a link that has expired, was used, or never existed. */
export const INVALID_LINK: ErrorArguments = [
  'invalid_link',
  'This link has expired, or was used before. Ask for a new one.',
];

/** The error for a code that is wrong or was already used. */
export const WRONG_CODE: ErrorArguments = [
  'invalid_credentials',
  'This code is wrong, or was used before. Check that your device shows the right time, wait for the next code, then try again.',
];

const WRONG_RECOVERY_CODE: ErrorArguments = [
  'invalid_credentials',
  'This recovery code is wrong, or was used before. Try another one.',
];

/** The error for a second factor that was given without the password, or too long after it. */
export const PASSWORD_FIRST: ErrorArguments = [
  'sign_in_again',
  'Your sign-in took too long, or there were too many wrong codes. Enter your password again.',
];

const WRONG_PASSKEY: ErrorArguments = [
  'invalid_credentials',
  'This passkey was not accepted. Try again, or use another one.',
];

const NO_CHALLENGE: ErrorArguments = ['invalid', 'This took too long. Try again.'];

const INVALID_CREDENTIALS: ErrorArguments = [
  'invalid_credentials',
  'The address or the password is wrong. Check both, or set a new password.',
];

/** The error for a password that is too short or too long. */
export const PASSWORD_LENGTH: ErrorArguments = [
  'invalid',
  `Choose a password of ${PASSWORD_LENGTHS.least} to ${PASSWORD_LENGTHS.most} characters.`,
];

/** The error for each code of better-auth that a client can cause. */
const ERRORS: Readonly<Record<string, ErrorArguments>> = {
  INVALID_EMAIL_OR_PASSWORD: INVALID_CREDENTIALS,
  // The same as for an unknown address, so that no reply tells which addresses have accounts.
  EMAIL_NOT_VERIFIED: INVALID_CREDENTIALS,
  FAILED_TO_CREATE_SESSION: ['unavailable', 'This cannot be done just now. Try again.'],
  INVALID_TOKEN: INVALID_LINK,
  TOKEN_EXPIRED: INVALID_LINK,
  USER_NOT_FOUND: INVALID_LINK,
  INVALID_PASSWORD: ['wrong_password', 'The password is wrong.'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: [
    'invalid',
    'This account has no password. Set one with “Forgot your password?” on the sign-in page.',
  ],
  PASSWORD_TOO_SHORT: PASSWORD_LENGTH,
  PASSWORD_TOO_LONG: PASSWORD_LENGTH,
  INVALID_CODE: WRONG_CODE,
  TOTP_NOT_ENABLED: WRONG_CODE,
  INVALID_BACKUP_CODE: WRONG_RECOVERY_CODE,
  BACKUP_CODES_NOT_ENABLED: WRONG_RECOVERY_CODE,
  // Identified by its status, because it has no code: a recovery code was used by a concurrent
  // request.
  CONFLICT: WRONG_RECOVERY_CODE,
  INVALID_TWO_FACTOR_COOKIE: PASSWORD_FIRST,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: PASSWORD_FIRST,
  ACCOUNT_TEMPORARILY_LOCKED: [
    'too_many_attempts',
    'There were too many wrong codes for this account. Use a passkey, or wait 15 minutes, then try again.',
    { headers: { 'Retry-After': String(LOCK_LASTS) } },
  ],
  PASSKEY_NOT_FOUND: WRONG_PASSKEY,
  AUTHENTICATION_FAILED: WRONG_PASSKEY,
  CHALLENGE_NOT_FOUND: NO_CHALLENGE,
  // Another account has signed in since the browser was asked for the passkey.
  YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY: NO_CHALLENGE,
  FAILED_TO_VERIFY_REGISTRATION: ['invalid', 'This passkey could not be set up. Try another one.'],
  HOLDER_NOT_VERIFIED: [
    'invalid',
    'This passkey did not check who you are. Give it a PIN or a fingerprint, then try again.',
  ],
  UNAUTHORIZED: ['signed_out', 'You are signed out. Sign in first.'],
};

/** Translates an error of better-auth that a client caused; returns any other unchanged. */
export function translated(error: unknown): unknown {
  const known = isAPIError(error) ? ERRORS[error.body?.code ?? error.status] : undefined;
  return known ? new DashboardError(...known) : error;
}
