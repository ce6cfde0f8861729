import type { Generated, Kysely } from 'kysely';
import type { Role } from '../core/accounts.ts';
import type { AuditAction } from '../core/audit.ts';
import type { ChangeKind } from '../core/changes.ts';
import type { Environment } from '../core/environments.ts';
import type { PetStatus } from '../core/pets.ts';
import type { Plan } from '../core/plans.ts';
import {
  bytes,
  type Column,
  type GeneratedColumn,
  generatedInteger,
  generatedText,
  int64,
  integer,
  optionalInteger,
  optionalText,
  type Table,
  text,
} from './columns.ts';

/**
 * Every table of both engines, in an order in which no row refers to a table that follows. Times are
 * epoch ms; those in texts (better-auth's) are ISO 8601, UTC.
 */
export const TABLES = {
  settings: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['name'],
    columns: { name: text(), value: text() },
  },
  accounts: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['id'],
    columns: {
      id: text(),
      // In lower case; `written_as` is the address as its holder writes it.
      email: text(),
      written_as: optionalText(),
      plan: text<Plan>(),
      // Only Enterprise's own limits.
      per_minute: optionalInteger(),
      per_day: optionalInteger(),
      created_at: integer(),
      role: generatedText<Role>(),
      name: generatedText(),
      email_verified: generatedInteger(),
      image: optionalText(),
      signed_up_at: optionalText(),
      updated_at: optionalText(),
    },
  },
  api_keys: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['id'],
    columns: {
      id: text(),
      account_id: text(),
      environment: text<Environment>(),
      name: text(),
      // HMAC-SHA-256 of the key's text.
      digest: bytes(),
      prefix: text(),
      last_four: text(),
      created_at: integer(),
      expires_at: optionalInteger(),
      revoked_at: optionalInteger(),
      last_used_at: optionalInteger(),
    },
  },
  bans: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['id'],
    columns: {
      id: text(),
      key_id: text(),
      account_id: text(),
      environment: text<Environment>(),
      reason: text(),
      level: integer(),
      starts_at: integer(),
      ends_at: integer(),
      lifted_at: optionalInteger(),
      lifted_by: optionalText(),
    },
  },
  credentials: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['id'],
    columns: {
      id: text(),
      user_id: text(),
      account_id: text(),
      provider_id: text(),
      password: optionalText(),
      access_token: optionalText(),
      refresh_token: optionalText(),
      id_token: optionalText(),
      access_token_expires_at: optionalText(),
      refresh_token_expires_at: optionalText(),
      scope: optionalText(),
      created_at: text(),
      updated_at: text(),
    },
  },
  sessions: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['id'],
    columns: {
      id: text(),
      user_id: text(),
      token: text(),
      expires_at: text(),
      ip_address: optionalText(),
      user_agent: optionalText(),
      created_at: text(),
      updated_at: text(),
    },
  },
  verifications: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['id'],
    columns: {
      id: text(),
      identifier: text(),
      value: text(),
      expires_at: text(),
      created_at: text(),
      updated_at: text(),
    },
  },
  messages: {
    file: 'accounts',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'id'],
    sequence: { name: 'message_sequence', column: 'sequence' },
    columns: {
      account_id: text(),
      id: text(),
      sequence: generatedInteger(),
      environment: text<Environment>(),
      // A JSON string in PostgreSQL, whose own text has no U+0000.
      text: text(),
      created_at: integer(),
      // None while the message is queued.
      delivered_at: optionalInteger(),
      idempotency_key: optionalText(),
    },
  },
  usage: {
    file: 'accounts',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'hour', 'environment'],
    columns: {
      account_id: text(),
      // Whole hours since the Unix epoch.
      hour: integer(),
      environment: text<Environment>(),
      succeeded: integer(),
      client_errors: integer(),
      limited: integer(),
      server_errors: integer(),
    },
  },
  audit: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['number'],
    sequence: { name: 'audit_numbers', column: 'number' },
    columns: {
      number: generatedInteger(),
      at: integer(),
      actor: text(),
      action: text<AuditAction>(),
      account_id: text(),
      detail: text(),
    },
  },
  // How many changes there were that servers must apply to what they cache. One row, 'changes'.
  revision: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['name'],
    columns: { name: text(), value: integer() },
  },
  // The latest of these changes.
  changes: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['revision'],
    columns: { revision: integer(), subject_kind: text<ChangeKind>(), subject_id: text() },
  },
  pets: {
    file: 'environment',
    // By a bucket of consecutive ids: a page asks for consecutive ids.
    distributedBy: 'id',
    primaryKey: ['id'],
    columns: { id: integer(), name: text(), category_id: int64(), status: text<PetStatus>() },
  },
  idempotent_requests: {
    file: 'environment',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'key'],
    columns: {
      account_id: text(),
      key: text(),
      fingerprint: text(),
      pet_id: integer(),
      created_at: integer(),
      // The first reply; none in rows of earlier releases, which made it anew from the pet.
      reply_status: optionalInteger(),
      reply_body: optionalText(),
    },
  },
  quotas: {
    file: 'environment',
    distributedBy: 'caller',
    primaryKey: ['caller'],
    columns: {
      caller: text(),
      minute_ends_at: integer(),
      minute_used: integer(),
      day: integer(),
      day_used: integer(),
    },
  },
  // The latest batch of usage that each process has added. In PostgreSQL alone.
  usage_sources: {
    file: 'none',
    distributedBy: 'reference',
    primaryKey: ['id'],
    columns: { id: text(), batch: integer(), hour: integer() },
  },
  // Which process limits an environment's callers in memory. In PostgreSQL alone.
  counting: {
    file: 'none',
    distributedBy: 'reference',
    primaryKey: ['environment'],
    columns: { environment: text<Environment>(), holder: text(), renewals: integer() },
  },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof TABLES;
type Columns<Name extends TableName> = (typeof TABLES)[Name]['columns'];
type ColumnType<C> =
  C extends GeneratedColumn<infer Value>
    ? Generated<Value>
    : C extends Column<infer Value>
      ? Value
      : never;

/** The tables as Kysely types them. Integers are numbers, whatever the driver gives. */
export type Database = {
  [Name in TableName]: { -readonly [C in keyof Columns<Name>]: ColumnType<Columns<Name>[C]> };
};

/** A Kysely instance inside of a transaction. */
export type Transaction = Kysely<Database>;
