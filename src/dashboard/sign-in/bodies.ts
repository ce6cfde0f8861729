import { emailProblem, newEmailProblem } from '../../core/accounts/email-address.ts';
import { isPrintableLine } from '../../lib/unprintable.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import { hasPasswordLength, normalizePassword } from '../shared/new-password.ts';
import { PASSWORD_LENGTH } from './errors.ts';

const text = { type: 'string', minLength: 1, maxLength: 1_000 } as const;

/** The longest name of a passkey, in characters. */
const PASSKEY_NAME_LENGTH = 60;
const PASSKEY_NAME = `1 to ${PASSKEY_NAME_LENGTH} characters on one line, without invisible characters and direction marks`;

const base64 = { type: 'string', maxLength: 8_000 } as const;

/** The result of a sign-in with a passkey in the browser (WebAuthn, AuthenticationResponseJSON). */
const passkeyResponse = {
  type: 'object',
  required: ['id', 'rawId', 'type', 'response', 'clientExtensionResults'],
  properties: {
    id: text,
    rawId: text,
    type: { const: 'public-key' },
    response: {
      type: 'object',
      required: ['clientDataJSON', 'authenticatorData', 'signature'],
      properties: { clientDataJSON: base64, authenticatorData: base64, signature: base64 },
    },
    clientExtensionResults: { type: 'object' },
  },
} as const;

/** A name that is shown in lists and in the audit log. */
const passkeyName = { type: 'string' } as const;

const PASSKEY_RULES = {
  name: (text: string) => isPrintableLine(text, PASSKEY_NAME_LENGTH),
};

const EXPECTATIONS = {
  email: 'an e-mail address such as you@example.com',
  password: 'text',
  currentPassword: 'text',
  newPassword: 'text',
  token: 'the token of a link',
  id: 'the id of a session or a passkey',
  code: 'text',
  setUpId: 'the "setUpId" of the authenticator app; reload the page to get it',
  name: PASSKEY_NAME,
  response: 'what the browser returned',
};

type Name = keyof typeof EXPECTATIONS;

/** Reads bodies with these fields, all of which are text. */
function textReader<const Names extends readonly Name[]>(...names: Names) {
  const properties = Object.fromEntries(names.map((name) => [name, text]));
  // Every name is mapped to text, but `fromEntries` does not keep the type of the names.
  const typed = properties as Record<Names[number], typeof text>;
  return bodyReader({ type: 'object', required: names, properties: typed }, EXPECTATIONS);
}

export const readCredentials = textReader('email', 'password');
export const readEmail = textReader('email');
export const readPassword = textReader('password');
export const readPasswordChange = textReader('currentPassword', 'newPassword');
export const readToken = textReader('token');
export const readPasswordReset = textReader('token', 'newPassword');
export const readId = textReader('id');
export const readCode = textReader('code');
export const readTotpConfirmation = textReader('code', 'setUpId');

export const readPasskeyResponse = bodyReader(
  { type: 'object', required: ['response'], properties: { response: passkeyResponse } },
  EXPECTATIONS,
);

export const readNewPasskey = bodyReader(
  {
    type: 'object',
    required: ['name', 'response'],
    properties: { name: passkeyName, response: { type: 'object' } },
  },
  EXPECTATIONS,
  PASSKEY_RULES,
);

export const readPasskeyName = bodyReader(
  {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: text, name: passkeyName },
  },
  EXPECTATIONS,
  PASSKEY_RULES,
);

/** @throws ApiError `invalid` when it cannot be the e-mail address of an account. */
export function emailFrom(field: string): string {
  return checkedEmail(field, emailProblem);
}

/**
 * The e-mail address of a new account, in lower case.
 * @throws ApiError `invalid` when it cannot be one
 */
export function newEmailFrom(field: string): string {
  return checkedEmail(field, newEmailProblem).toLowerCase();
}

function checkedEmail(field: string, problemOf: typeof emailProblem): string {
  const email = field.trim();
  const problem = problemOf(email);
  if (problem === undefined) return email;
  throw new DashboardError('invalid', problem);
}

/**
 * A new password, normalised.
 * @throws ApiError `invalid` when it is too short or too long.
 */
export function newPasswordFrom(field: string): string {
  if (hasPasswordLength(field)) return normalizePassword(field);
  throw new DashboardError(...PASSWORD_LENGTH);
}
