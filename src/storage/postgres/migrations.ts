import type { OnlineStep } from '../schema/migration-steps.ts';
import { REPEATED_MESSAGES, SHARED_STEPS, SIGNING_IN, USAGE } from '../schema/migrations.ts';

/** One step of the schema. Steps are only ever appended. */
export interface Migration {
  /** Each must be repeatable: on engines that commit every DDL statement, a step can be interrupted. */
  readonly statements: readonly string[];
  /** Runs before the statements if an earlier release created the database. */
  readonly online?: OnlineStep | undefined;
  /** The minimum number of steps a release must know to run at the same time as this one. */
  readonly worksWith: number;
}

/** The pets, idempotent requests, quotas and leases of both environments. */
const PETS = [
  'CREATE SEQUENCE IF NOT EXISTS production_pet_ids MAXVALUE 9007199254740991',
  'CREATE SEQUENCE IF NOT EXISTS staging_pet_ids MAXVALUE 9007199254740991',
  `CREATE TABLE IF NOT EXISTS pets (
    environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
    id BIGINT NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
    name TEXT NOT NULL,
    category_id BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    PRIMARY KEY (environment, id)
  )`,
  'CREATE INDEX IF NOT EXISTS pets_by_status ON pets (environment, status, id)',
  `CREATE TABLE IF NOT EXISTS idempotent_requests (
    environment TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    pet_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (environment, account_id, key)
  )`,
  `CREATE INDEX IF NOT EXISTS idempotent_requests_by_age
    ON idempotent_requests (environment, created_at)`,
  `CREATE TABLE IF NOT EXISTS quotas (
    environment TEXT NOT NULL,
    caller TEXT NOT NULL,
    minute_ends_at BIGINT NOT NULL,
    minute_used BIGINT NOT NULL,
    day BIGINT NOT NULL,
    day_used BIGINT NOT NULL,
    PRIMARY KEY (environment, caller)
  )`,
  // The holder of the lease, and a counter that increases while the holder is running.
  `CREATE TABLE IF NOT EXISTS counting (
    environment TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    renewals BIGINT NOT NULL
  )`,
];

const ACCOUNTS = [
  // An account is also a better-auth user. The address is in lower case; written_as is its original spelling.
  `CREATE TABLE IF NOT EXISTS accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    written_as TEXT,
    plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
    per_minute BIGINT CHECK (per_minute >= 1),
    per_day BIGINT CHECK (per_day >= 1),
    created_at BIGINT NOT NULL,
    role TEXT NOT NULL DEFAULT 'customer' CHECK (role IN ('customer', 'operator')),
    name TEXT NOT NULL DEFAULT '',
    email_verified INTEGER NOT NULL DEFAULT 0,
    image TEXT,
    signed_up_at TEXT,
    updated_at TEXT,
    CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
    CHECK ((plan = 'enterprise') = (per_day IS NOT NULL))
  )`,
  `CREATE TABLE IF NOT EXISTS api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
    name TEXT NOT NULL,
    digest BYTEA NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    last_four TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT
  )`,
  'CREATE INDEX IF NOT EXISTS api_keys_by_account ON api_keys (account_id)',
  `CREATE TABLE IF NOT EXISTS bans (
    id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    reason TEXT NOT NULL,
    level BIGINT NOT NULL,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    lifted_at BIGINT,
    lifted_by TEXT
  )`,
  'CREATE INDEX IF NOT EXISTS bans_by_end ON bans (ends_at)',
  'CREATE INDEX IF NOT EXISTS bans_by_key ON bans (key_id, starts_at)',
  'CREATE INDEX IF NOT EXISTS bans_by_account ON bans (account_id, ends_at)',

  // One row: the number of changes to data that running servers cache.
  'CREATE TABLE IF NOT EXISTS revision (name TEXT PRIMARY KEY, value BIGINT NOT NULL)',
  "INSERT INTO revision (name, value) VALUES ('changes', 0) ON CONFLICT (name) DO NOTHING",
  'CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
];

const ACTIVITY = [
  // The queue and the inboxes: messages that are not delivered yet are queued. The text is a JSON string,
  // because PostgreSQL's text type does not support U+0000.
  'CREATE SEQUENCE IF NOT EXISTS message_sequence',
  `CREATE TABLE IF NOT EXISTS messages (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    sequence BIGINT NOT NULL DEFAULT nextval('message_sequence'),
    environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
    text TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    delivered_at BIGINT,
    PRIMARY KEY (account_id, id)
  )`,
  'CREATE INDEX IF NOT EXISTS messages_by_account ON messages (account_id, sequence)',
  `CREATE INDEX IF NOT EXISTS messages_queued ON messages (sequence)
    WHERE delivered_at IS NULL`,
  'CREATE INDEX IF NOT EXISTS messages_by_delivery ON messages (delivered_at)',

  ...USAGE.postgres,

  'CREATE SEQUENCE IF NOT EXISTS audit_numbers',
  `CREATE TABLE IF NOT EXISTS audit (
    number BIGINT PRIMARY KEY DEFAULT nextval('audit_numbers'),
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    account_id TEXT NOT NULL,
    detail TEXT NOT NULL
  )`,
];

const USAGE_SOURCES = [
  // The latest batch of usage that each process has added, and the latest hour in it.
  `CREATE TABLE IF NOT EXISTS usage_sources (
    id TEXT PRIMARY KEY,
    batch BIGINT NOT NULL,
    hour BIGINT NOT NULL
  )`,
];

/**
 * The schema as the ordered list of its steps. Both environments share the same tables. Times are epoch
 * milliseconds unless noted otherwise.
 */
export const MIGRATIONS: readonly Migration[] = [
  { worksWith: 1, statements: [...PETS, ...ACCOUNTS, ...SIGNING_IN.postgres, ...ACTIVITY] },
  { worksWith: 1, statements: USAGE_SOURCES },
  { worksWith: 1, statements: REPEATED_MESSAGES.postgres },
  ...SHARED_STEPS.map(({ postgres, online }) => ({ worksWith: 1, statements: postgres, online })),
];
