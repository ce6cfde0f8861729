import { REPEATED_MESSAGES, SIGNING_IN, sqliteSteps, USAGE } from '../schema/migrations.ts';

/**
 * A schema as the ordered list of its steps. Steps are only ever appended, with a new minor release and a line in the
 * changelog: a file stores the number of its steps in `user_version`, and releases that know fewer refuse it. The text
 * of the first step of each file must not change, which a test checks, although PostgreSQL's list repeats some of its
 * tables.
 */
export interface Schema {
  /** Marks a file as ours, in SQLite's `application_id`. */
  readonly applicationId: number;
  readonly migrations: readonly string[];
  /** Whether a power failure may lose the latest changes or the file: then no write waits for the disk. */
  readonly isDisposable?: true;
}

/** One environment: its pets, idempotent requests and used quotas. */
export const ENVIRONMENT_SCHEMA: Schema = {
  applicationId: 0x50_53_54_45,
  migrations: [
    `
    CREATE TABLE pets (
      id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
      name TEXT NOT NULL,
      category_id INTEGER NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
    ) STRICT;
    -- The id is part of every index entry, so this one also gives the order within a status.
    CREATE INDEX pets_by_status ON pets (status);

    CREATE TABLE idempotent_requests (
      account_id TEXT NOT NULL,
      key TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      pet_id INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (account_id, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX idempotent_requests_by_age ON idempotent_requests (created_at);

    CREATE TABLE quotas (
      caller TEXT PRIMARY KEY,
      minute_ends_at INTEGER NOT NULL,
      minute_used INTEGER NOT NULL,
      day INTEGER NOT NULL,
      day_used INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    `,
    ...sqliteSteps('environment'),
  ],
};

/** Accounts, their API keys and bans. Times are epoch milliseconds. */
export const ACCOUNTS_SCHEMA: Schema = {
  applicationId: 0x50_53_54_41,
  migrations: [
    `
    CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      email TEXT NOT NULL UNIQUE COLLATE NOCASE,
      plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
      per_minute INTEGER CHECK (per_minute >= 1),
      per_day INTEGER CHECK (per_day >= 1),
      created_at INTEGER NOT NULL,
      CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
      CHECK ((plan = 'enterprise') = (per_day IS NOT NULL))
    ) STRICT;

    CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
      name TEXT NOT NULL,
      digest BLOB NOT NULL UNIQUE,
      prefix TEXT NOT NULL,
      last_four TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER,
      last_used_at INTEGER
    ) STRICT;
    CREATE INDEX api_keys_by_account ON api_keys (account_id);

    CREATE TABLE bans (
      id TEXT PRIMARY KEY,
      key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      account_id TEXT NOT NULL,
      environment TEXT NOT NULL,
      reason TEXT NOT NULL,
      level INTEGER NOT NULL,
      starts_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL,
      lifted_at INTEGER,
      lifted_by TEXT
    ) STRICT;
    CREATE INDEX bans_by_end ON bans (ends_at);

    -- One row: how often something changed that running servers keep in memory.
    CREATE TABLE revision (value INTEGER NOT NULL) STRICT;
    INSERT INTO revision VALUES (0);
    CREATE TRIGGER account_changed AFTER UPDATE ON accounts
      BEGIN UPDATE revision SET value = value + 1; END;
    CREATE TRIGGER account_deleted AFTER DELETE ON accounts
      BEGIN UPDATE revision SET value = value + 1; END;
    CREATE TRIGGER api_key_changed AFTER UPDATE OF expires_at, revoked_at ON api_keys
      BEGIN UPDATE revision SET value = value + 1; END;
    CREATE TRIGGER ban_lifted AFTER UPDATE OF lifted_at ON bans
      BEGIN UPDATE revision SET value = value + 1; END;

    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    `,
    `
    -- What signing in needs: an account is a user, too. Times that are text are ISO 8601, UTC.
    ALTER TABLE accounts ADD COLUMN role TEXT NOT NULL DEFAULT 'customer'
      CHECK (role IN ('customer', 'operator'));
    ALTER TABLE accounts ADD COLUMN name TEXT NOT NULL DEFAULT '';
    ALTER TABLE accounts ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN image TEXT;
    ALTER TABLE accounts ADD COLUMN signed_up_at TEXT;
    ALTER TABLE accounts ADD COLUMN updated_at TEXT;
    DROP TRIGGER account_changed;
    CREATE TRIGGER account_changed AFTER UPDATE OF plan, per_minute, per_day ON accounts
      BEGIN UPDATE revision SET value = value + 1; END;

    ${SIGNING_IN.sqlite.join(';\n')};

    CREATE INDEX bans_by_account ON bans (account_id, ends_at);

    -- The queue and the inboxes in one: what is not delivered yet is queued.
    CREATE TABLE messages (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
      text TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      delivered_at INTEGER
    ) STRICT;
    CREATE INDEX messages_by_account ON messages (account_id);
    CREATE INDEX messages_queued ON messages (sequence) WHERE delivered_at IS NULL;
    CREATE INDEX messages_by_delivery ON messages (delivered_at);

    ${USAGE.sqlite.join(';\n')};

    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      action TEXT NOT NULL,
      account_id TEXT NOT NULL,
      detail TEXT NOT NULL
    ) STRICT;
    `,
    REPEATED_MESSAGES.sqlite.join(';\n'),
    ...sqliteSteps('accounts'),
  ],
};

/** The latest requests of each account. */
export const REQUESTS_SCHEMA: Schema = {
  applicationId: 0x50_53_54_52,
  migrations: sqliteSteps('requests'),
  isDisposable: true,
};
