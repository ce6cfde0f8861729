import { isEmailAddress } from '../../core/accounts.ts';
import { UNPRINTABLE } from '../../lib/unprintable.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import { PASSWORD_LENGTHS } from '../shared/bounds.ts';
import { PASSWORD_LENGTH } from './errors.ts';

const text = { type: 'string', minLength: 1, maxLength: 1_000 } as const;

const PASSKEY_NAME =
  '1 to 60 characters on one line, without invisible characters and direction marks';

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
const passkeyName = {
  type: 'string',
  pattern: `^(?=.*\\S)[^${UNPRINTABLE}]{1,60}$`,
} as const;

const EXPECTATIONS = {
  email: 'an e-mail address such as you@example.com',
  password: 'text',
  currentPassword: 'text',
  newPassword: 'text',
  token: 'the token of a link',
  id: 'the id of a session or a passkey',
  code: 'text',
  name: PASSKEY_NAME,
  response: 'what the browser returned',
};

export const readCredentials = bodyReader(
  { type: 'object', required: ['email', 'password'], properties: { email: text, password: text } },
  EXPECTATIONS,
);

export const readEmail = bodyReader(
  { type: 'object', required: ['email'], properties: { email: text } },
  EXPECTATIONS,
);

export const readPassword = bodyReader(
  { type: 'object', required: ['password'], properties: { password: text } },
  EXPECTATIONS,
);

export const readPasswordChange = bodyReader(
  {
    type: 'object',
    required: ['currentPassword', 'newPassword'],
    properties: { currentPassword: text, newPassword: text },
  },
  EXPECTATIONS,
);

export const readPasswordReset = bodyReader(
  {
    type: 'object',
    required: ['token', 'newPassword'],
    properties: { token: text, newPassword: text },
  },
  EXPECTATIONS,
);

export const readId = bodyReader(
  { type: 'object', required: ['id'], properties: { id: text } },
  EXPECTATIONS,
);

export const readCode = bodyReader(
  { type: 'object', required: ['code'], properties: { code: text } },
  EXPECTATIONS,
);

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
);

export const readPasskeyName = bodyReader(
  {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: text, name: passkeyName },
  },
  EXPECTATIONS,
);

/** @throws ApiError `invalid` when it is not an e-mail address. */
export function emailFrom(field: string): string {
  const email = field.trim();
  if (isEmailAddress(email)) return email;
  throw new DashboardError('invalid', `"email" must be ${EXPECTATIONS.email}.`);
}

/** @throws ApiError `invalid` when it is too short or too long. */
export function newPasswordFrom(field: string): string {
  const { least, most } = PASSWORD_LENGTHS;
  if (field.length >= least && field.length <= most) return field;
  throw new DashboardError(...PASSWORD_LENGTH);
}
