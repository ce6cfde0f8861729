import { isEmailAddress } from '../../core/accounts.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import { PASSWORD_LENGTHS } from '../shared/bounds.ts';
import { PASSWORD_LENGTH } from './errors.ts';

const text = { type: 'string', minLength: 1, maxLength: 1_000 } as const;

const EXPECTATIONS = {
  email: 'an e-mail address such as you@example.com',
  password: 'text',
  currentPassword: 'text',
  newPassword: 'text',
  token: 'the token of a link',
  id: 'the id of a session',
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

export const readSessionId = bodyReader(
  { type: 'object', required: ['id'], properties: { id: text } },
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
