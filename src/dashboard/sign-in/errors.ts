import { isAPIError } from 'better-auth/api';
import { DashboardError } from '../errors.ts';
import { PASSWORD_LENGTHS } from '../shared/bounds.ts';

type ErrorArguments = ConstructorParameters<typeof DashboardError>;

/** The error for a link that has expired, was used, or never existed. */
export const INVALID_LINK: ErrorArguments = [
  'invalid',
  'This link has expired, or was used before. Ask for a new one.',
];

const INVALID_CREDENTIALS: ErrorArguments = [
  'invalid_credentials',
  'The address or the password is wrong.',
];

/** The error for a password that is too short or too long. */
export const PASSWORD_LENGTH: ErrorArguments = [
  'invalid',
  `A password has ${PASSWORD_LENGTHS.least} to ${PASSWORD_LENGTHS.most} characters.`,
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
  INVALID_PASSWORD: ['invalid', 'The password is wrong.'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: ['invalid', 'This account has no password. Reset it first.'],
  PASSWORD_TOO_SHORT: PASSWORD_LENGTH,
  PASSWORD_TOO_LONG: PASSWORD_LENGTH,
  UNAUTHORIZED: ['signed_out', 'You are signed out. Sign in first.'],
};

/** Translates an error of better-auth that a client caused; returns any other unchanged. */
export function translated(error: unknown): unknown {
  const known = isAPIError(error) ? ERRORS[error.body?.code ?? ''] : undefined;
  return known ? new DashboardError(...known) : error;
}
