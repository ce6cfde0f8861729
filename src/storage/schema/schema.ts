import type { Generated, Kysely } from 'kysely';
import type { Role } from '../../core/accounts/accounts.ts';
import type { AuditAction } from '../../core/accounts/audit.ts';
import type { ChangeKind } from '../../core/changes.ts';
import type { Environment } from '../../core/environments.ts';
import type { Plan } from '../../core/limits/plans.ts';
import type { OrderStatus } from '../../core/orders/orders.ts';
import type { PetStatus } from '../../core/pets/pets.ts';
import { SIGN_IN_TABLES } from '../accounts/sign-in-tables.ts';
import { REQUEST_TABLES } from '../requests/request-tables.ts';
import {
  bytes,
  type Column,
  columnsOf,
  type GeneratedColumn,
  generatedInteger,
  generatedText,
  int64,
  integer,
  optionalBytes,
  optionalInteger,
  optionalText,
  REFERENCE_BY_ID,
  type Table,
  text,
} from './columns.ts';

/**
 * The tables of both engines, ordered so that no table refers to a later one. Times are epoch ms; those in text columns
 * (of better-auth) are ISO 8601, UTC.
 */
export const TABLES = {
  settings: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['name'],
    columns: columnsOf(text(), 'name', 'value'),
  },
  accounts: {
    ...REFERENCE_BY_ID,
    columns: {
      id: text(),
      // In lower case; `written_as` is the address in the spelling of its holder.
      email: text(),
      written_as: optionalText(),
      plan: text<Plan>(),
      // Only the limits of Enterprise accounts.
      ...columnsOf(optionalInteger(), 'per_minute', 'per_day'),
      created_at: integer(),
      role: generatedText<Role>(),
      name: generatedText(),
      email_verified: generatedInteger(),
      ...columnsOf(optionalText(), 'image', 'signed_up_at', 'updated_at'),
      // Only while the account is suspended.
      suspended_at: optionalInteger(),
      suspension_reason: optionalText(),
      // 1 when signing in by password requires a second factor; updated by each sign-in.
      two_factor_enabled: generatedInteger(),
    },
  },
  api_keys: {
    ...REFERENCE_BY_ID,
    columns: {
      ...columnsOf(text(), 'id', 'account_id'),
      environment: text<Environment>(),
      name: text(),
      // HMAC-SHA-256 of the key's text.
      digest: bytes(),
      // The secret of the digest (`secretIdOf`); NULL if that is the first one of the store.
      secret_id: optionalText(),
      ...columnsOf(text(), 'prefix', 'last_four'),
      created_at: integer(),
      ...columnsOf(optionalInteger(), 'expires_at', 'revoked_at', 'last_used_at'),
      // The first key of its rotation chain; NULL if that is the key itself.
      chain_id: optionalText(),
      // How far the account's clock was ahead when the key was created, in ms.
      clock_offset: generatedInteger(),
      // The simulation for its requests, in staging.
      simulate: optionalText(),
      // 1 for a key that a web page created for trying the API; see `ApiKey`.
      is_temporary: generatedInteger(),
      // The key that this one replaced by rotation.
      predecessor_id: optionalText(),
    },
  },
  // How many requests of an account a simulation applied to, by counter.
  simulated_requests: {
    file: 'accounts',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'counter'],
    columns: { ...columnsOf(text(), 'account_id', 'counter'), requests: integer() },
  },
  bans: {
    ...REFERENCE_BY_ID,
    columns: {
      ...columnsOf(text(), 'id', 'key_id', 'account_id'),
      environment: text<Environment>(),
      reason: text(),
      ...columnsOf(integer(), 'level', 'starts_at', 'ends_at'),
      lifted_at: optionalInteger(),
      lifted_by: optionalText(),
      // As in `api_keys`.
      chain_id: optionalText(),
      clock_offset: generatedInteger(),
    },
  },
  // The sandbox settings of accounts in staging.
  sandboxes: {
    file: 'accounts',
    distributedBy: 'reference',
    primaryKey: ['account_id'],
    columns: {
      account_id: text(),
      // How far the account's clock is ahead, in ms.
      clock_offset: integer(),
      // JSON.
      simulation: optionalText(),
      // A JSON array of pending `LimiterCommand`s; NULL when there are none.
      usage_order: optionalText(),
    },
  },
  ...SIGN_IN_TABLES,
  messages: {
    file: 'accounts',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'id'],
    sequence: { name: 'message_sequence', column: 'sequence' },
    columns: {
      ...columnsOf(text(), 'account_id', 'id'),
      sequence: generatedInteger(),
      environment: text<Environment>(),
      // A JSON string in PostgreSQL, whose text type does not support U+0000.
      text: text(),
      created_at: integer(),
      // NULL while the message is queued.
      delivered_at: optionalInteger(),
      idempotency_key: optionalText(),
      // The key that it was sent with; NULL for messages of earlier releases.
      key_id: optionalText(),
    },
  },
  ...REQUEST_TABLES,
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
      ...columnsOf(text(), 'account_id', 'detail'),
      // Of sign-ins and of changes to passwords and second factors in the dashboard, for 90 days.
      ...columnsOf(optionalText(), 'device', 'address'),
    },
  },
  // The number of changes that servers must apply to their caches. One row, 'changes'.
  revision: {
    file: 'accounts',
    distributedBy: 'coordinator',
    primaryKey: ['name'],
    columns: { name: text(), value: integer() },
  },
  // The latest of these changes.
  changes: {
    file: 'accounts',
    distributedBy: 'coordinator',
    primaryKey: ['revision'],
    columns: { revision: integer(), subject_kind: text<ChangeKind>(), subject_id: text() },
  },
  pets: {
    file: 'environment',
    // A bucket has consecutive ids, like a page (`buckets.ts`).
    distributedBy: 'bucket',
    primaryKey: ['id'],
    columns: {
      id: integer(),
      name: text(),
      category_id: int64(),
      status: text<PetStatus>(),
      // The account that added it (`storedAccountId`); NULL for pets of nobody.
      owner: optionalBytes(),
      // The id of its open order.
      open_order: optionalInteger(),
    },
  },
  // The latest changes of pets, which servers apply to their caches.
  pet_changes: {
    file: 'environment',
    distributedBy: 'coordinator',
    primaryKey: ['number'],
    columns: {
      // In PostgreSQL the id of the transaction, so that writers do not wait for each other.
      number: integer(),
      pet_id: integer(),
      old_status: text<PetStatus>(),
      // NULL if the pet was deleted.
      new_status: optionalText<PetStatus>(),
    },
  },
  // The ids of deleted pets. Only in PostgreSQL, where other ids without a pet may belong to one that is not committed yet.
  deleted_pets: {
    file: 'none',
    distributedBy: 'bucket',
    primaryKey: ['environment', 'bucket', 'id'],
    columns: { environment: text<Environment>(), id: integer() },
  },
  orders: {
    file: 'environment',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'id'],
    columns: {
      account_id: text(),
      ...columnsOf(integer(), 'id', 'pet_id'),
      status: text<OrderStatus>(),
      ...columnsOf(integer(), 'created_at', 'updated_at'),
      // The key of the request that made it, for a day.
      idempotency_key: optionalText(),
    },
  },
  // The id up to which all were taken when an environment was filled from a data folder. Only in PostgreSQL.
  taken_ids: {
    file: 'none',
    distributedBy: 'coordinator',
    primaryKey: ['environment'],
    columns: { environment: text<Environment>(), id: integer() },
  },
  // Kept for a day; on the coordinator, which reads or records those of a batch in one statement.
  idempotent_requests: {
    file: 'environment',
    distributedBy: 'coordinator',
    primaryKey: ['account_id', 'key'],
    columns: {
      ...columnsOf(text(), 'account_id', 'key', 'fingerprint'),
      ...columnsOf(integer(), 'pet_id', 'created_at'),
      // The first reply; NULL in rows of earlier releases, for which the pet is replayed as it is now.
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
      ...columnsOf(integer(), 'minute_ends_at', 'minute_used', 'day', 'day_used'),
    },
  },
  // The latest batch of usage that each process has added.
  usage_sources: {
    file: 'accounts',
    distributedBy: 'coordinator',
    primaryKey: ['id'],
    columns: { id: text(), batch: integer(), hour: integer() },
  },
  // Limiter leases: the process that limits the requests of an environment. Only in PostgreSQL.
  counting: {
    file: 'none',
    distributedBy: 'coordinator',
    primaryKey: ['environment'],
    columns: { environment: text<Environment>(), holder: text(), renewals: integer() },
  },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof TABLES;

// An object literal has exactly the keys of its type.
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

type Columns<Name extends TableName> = (typeof TABLES)[Name]['columns'];
type ColumnType<C> =
  C extends GeneratedColumn<infer Value>
    ? Generated<Value>
    : C extends Column<infer Value>
      ? Value
      : never;

/** The types of the tables for Kysely. Integers are numbers if these are exact, otherwise bigints. */
export type Database = {
  [Name in TableName]: { -readonly [C in keyof Columns<Name>]: ColumnType<Columns<Name>[C]> };
};

/** A Kysely instance within a transaction. */
export type Transaction = Kysely<Database>;
