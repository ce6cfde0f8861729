import type { SecondFactor } from '../../core/accounts/second-factors.ts';
import {
  columnsOf,
  generatedInteger,
  integer,
  optionalInteger,
  optionalText,
  REFERENCE_BY_ID,
  type Table,
  text,
} from '../schema/columns.ts';

/** The tables for signing in, other than the accounts; better-auth reads and changes them. */
export const SIGN_IN_TABLES = {
  credentials: {
    ...REFERENCE_BY_ID,
    columns: {
      ...columnsOf(text(), 'id', 'user_id', 'account_id', 'provider_id'),
      ...columnsOf(
        optionalText(),
        'password',
        'access_token',
        'refresh_token',
        'id_token',
        'access_token_expires_at',
        'refresh_token_expires_at',
        'scope',
      ),
      ...columnsOf(text(), 'created_at', 'updated_at'),
    },
  },
  sessions: {
    ...REFERENCE_BY_ID,
    columns: {
      ...columnsOf(text(), 'id', 'user_id', 'token', 'expires_at'),
      ...columnsOf(optionalText(), 'ip_address', 'user_agent'),
      ...columnsOf(text(), 'created_at', 'updated_at'),
      // The second factor that the session was proven with, if any.
      second_factor: optionalText<SecondFactor>(),
    },
  },
  // At most one row per account: its authenticator app and its recovery codes.
  second_factors: {
    ...REFERENCE_BY_ID,
    columns: {
      ...columnsOf(text(), 'id', 'user_id'),
      // The secret of the app, encrypted; empty if there is no app.
      secret: text(),
      // SHA-256 digests of the remaining recovery codes, as JSON.
      backup_codes: text(),
      // 1 once the app is confirmed by a code.
      verified: integer(),
      failed_verification_count: generatedInteger(),
      locked_until: optionalText(),
      // The latest time step whose code was accepted (RFC 6238, 5.2).
      last_step: optionalInteger(),
    },
  },
  passkeys: {
    ...REFERENCE_BY_ID,
    columns: {
      ...columnsOf(text(), 'id', 'user_id', 'name', 'public_key', 'credential_id'),
      counter: integer(),
      device_type: text(),
      backed_up: integer(),
      ...columnsOf(optionalText(), 'transports', 'aaguid'),
      created_at: text(),
    },
  },
  verifications: {
    ...REFERENCE_BY_ID,
    columns: {
      ...columnsOf(text(), 'id', 'identifier', 'value', 'expires_at', 'created_at', 'updated_at'),
    },
  },
} as const satisfies Readonly<Record<string, Table>>;
