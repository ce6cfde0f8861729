import type { SQL } from 'bun';
import { KEY_ORIGINS_STEP } from './key-origins.ts';
import { addBucketsOnline, PET_BUCKETS } from './pet-buckets.ts';

/**
 * Does what takes long while processes of the previous release use the database. Its own changes are
 * committed one by one, and it may run again; one process at a time does it.
 */
export type OnlineStep = (connection: SQL) => Promise<void>;

/**
 * The steps of the schema that are written for both engines, after those of each engine's own list. Steps
 * are only ever appended, with a new minor release and a line in the changelog.
 */
export interface SharedStep {
  /** The files of a data folder that have the tables. */
  readonly file: 'accounts' | 'environment' | 'requests';
  /** None where the step is of PostgreSQL alone. */
  readonly sqlite: readonly string[];
  /** Each may run again: on engines that commit every definition, a step can be cut off. */
  readonly postgres: readonly string[];
  /** Runs before the statements where an earlier release made the database. */
  readonly online?: OnlineStep;
}

const CHANGES_TABLE = newTable('changes', [
  'revision INTEGER PRIMARY KEY',
  'subject_kind TEXT NOT NULL',
  'subject_id TEXT NOT NULL',
]);

const SIMULATED_REQUESTS = newTable('simulated_requests', [
  'account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
  'counter TEXT NOT NULL',
  'requests INTEGER NOT NULL',
  'PRIMARY KEY (account_id, counter)',
]);

const KEY_INDEXES = [
  'CREATE INDEX IF NOT EXISTS api_keys_by_age ON api_keys (account_id, created_at, id)',
  ...['expires_at', 'revoked_at'].map(
    (column) => `CREATE INDEX IF NOT EXISTS api_keys_by_${column} ON api_keys (${column})
      WHERE ${column} IS NOT NULL`,
  ),
];

const AUDIT_INDEXES = ['account_id', 'actor'].map(
  (column) => `CREATE INDEX IF NOT EXISTS audit_by_${column} ON audit (${column}, number)`,
);

const SANDBOXES_TABLE = newTable('sandboxes', [
  'account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE',
  'clock_offset INTEGER NOT NULL',
  'simulation TEXT',
  'usage_order TEXT',
]);

const SECOND_FACTORS_TABLE = newTable('second_factors', [
  'id TEXT PRIMARY KEY',
  'user_id TEXT NOT NULL UNIQUE REFERENCES accounts (id) ON DELETE CASCADE',
  'secret TEXT NOT NULL',
  'backup_codes TEXT NOT NULL',
  'verified INTEGER NOT NULL',
  'failed_verification_count INTEGER NOT NULL DEFAULT 0',
  'locked_until TEXT',
  'last_step INTEGER',
]);

const PASSKEYS_TABLE = newTable('passkeys', [
  'id TEXT PRIMARY KEY',
  'user_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
  'name TEXT NOT NULL',
  'public_key TEXT NOT NULL',
  'credential_id TEXT NOT NULL UNIQUE',
  'counter INTEGER NOT NULL',
  'device_type TEXT NOT NULL',
  'backed_up INTEGER NOT NULL',
  'transports TEXT',
  'created_at TEXT NOT NULL',
  'aaguid TEXT',
]);

const KEY_USAGE_TABLE = newTable('key_usage', [
  'account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
  'hour INTEGER NOT NULL',
  'hours INTEGER NOT NULL',
  "environment TEXT NOT NULL CHECK (environment IN ('production', 'staging'))",
  'key_id TEXT NOT NULL',
  'operation TEXT NOT NULL',
  // The columns are listed: a step never changes with the code.
  ...['succeeded', 'client_errors', 'limited', 'server_errors'].map(counter),
  ...['invalid', 'unauthorized', 'not_found', 'conflicts'].map(counter),
  ...Array.from({ length: 32 }, (_, bucket) => counter(`took_${bucket}`)),
  'PRIMARY KEY (account_id, hour, hours, key_id, operation)',
]);

const KEY_USAGE_BY_AGE = 'CREATE INDEX IF NOT EXISTS key_usage_by_age ON key_usage (hours, hour)';

/** @param accountId the definition of the column: only in PostgreSQL accounts are in the same database. */
function requestLogTable(accountId: string): Omit<SharedStep, 'file'> {
  return newTable('request_log', [
    accountId,
    'id TEXT NOT NULL',
    'at INTEGER NOT NULL',
    'request_id TEXT NOT NULL',
    'environment TEXT NOT NULL',
    'key_id TEXT NOT NULL',
    'method TEXT NOT NULL',
    'path TEXT NOT NULL',
    'status INTEGER NOT NULL',
    'code TEXT',
    'message TEXT',
    'duration_micros INTEGER NOT NULL',
    'reply_bytes INTEGER NOT NULL',
    'address TEXT NOT NULL',
    'user_agent TEXT',
    'simulation TEXT',
    'replayed INTEGER NOT NULL',
    'limits TEXT NOT NULL',
    'not_recorded INTEGER NOT NULL',
    'PRIMARY KEY (account_id, id)',
  ]);
}

const REQUEST_LOG_INDEXES = [
  'CREATE INDEX IF NOT EXISTS request_log_by_request_id ON request_log (request_id)',
  'CREATE INDEX IF NOT EXISTS request_log_by_age ON request_log (at)',
];

export const SHARED_STEPS: readonly SharedStep[] = [
  {
    // The changes themselves beside their number, made by the functions that change something.
    file: 'accounts',
    sqlite: [
      ...['account_changed', 'account_deleted', 'api_key_changed', 'ban_lifted'].map(
        (trigger) => `DROP TRIGGER ${trigger}`,
      ),
      "ALTER TABLE revision ADD COLUMN name TEXT NOT NULL DEFAULT 'changes'",
      ...CHANGES_TABLE.sqlite,
    ],
    postgres: CHANGES_TABLE.postgres,
  },
  {
    // Addresses in lower case beside their spelling, sorted by code point, on both engines.
    file: 'accounts',
    sqlite: [
      'ALTER TABLE accounts ADD COLUMN written_as TEXT',
      'UPDATE accounts SET written_as = email, email = lower(email)',
    ],
    postgres: ['ALTER TABLE accounts ALTER COLUMN email TYPE TEXT COLLATE "C"'],
  },
  {
    // The first reply itself beside the id of the pet.
    file: 'environment',
    sqlite: [
      'ALTER TABLE idempotent_requests ADD COLUMN reply_status INTEGER',
      'ALTER TABLE idempotent_requests ADD COLUMN reply_body TEXT',
    ],
    postgres: [
      'ALTER TABLE idempotent_requests ADD COLUMN IF NOT EXISTS reply_status BIGINT',
      'ALTER TABLE idempotent_requests ADD COLUMN IF NOT EXISTS reply_body TEXT',
    ],
  },
  {
    // The chain of rotations that a key and a ban belong to; none means the key itself.
    file: 'accounts',
    sqlite: [
      'ALTER TABLE api_keys ADD COLUMN chain_id TEXT',
      'ALTER TABLE bans ADD COLUMN chain_id TEXT',
    ],
    postgres: [
      'ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS chain_id TEXT',
      'ALTER TABLE bans ADD COLUMN IF NOT EXISTS chain_id TEXT',
    ],
  },
  {
    // For pages of keys, the keys of one day, and the removal of those that ended long ago.
    file: 'accounts',
    sqlite: KEY_INDEXES.map((index) => index.replace('IF NOT EXISTS ', '')).concat(
      'CREATE INDEX bans_by_key ON bans (key_id, starts_at)',
      'DROP INDEX api_keys_by_account',
    ),
    postgres: [...KEY_INDEXES, 'DROP INDEX IF EXISTS api_keys_by_account'],
  },
  {
    // The sandbox of staging, and how far an account's clock was ahead when a key or a ban was made.
    file: 'accounts',
    sqlite: [
      ...SANDBOXES_TABLE.sqlite,
      'ALTER TABLE api_keys ADD COLUMN clock_offset INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE bans ADD COLUMN clock_offset INTEGER NOT NULL DEFAULT 0',
    ],
    postgres: [
      ...SANDBOXES_TABLE.postgres,
      'ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS clock_offset BIGINT NOT NULL DEFAULT 0',
      'ALTER TABLE bans ADD COLUMN IF NOT EXISTS clock_offset BIGINT NOT NULL DEFAULT 0',
    ],
  },
  {
    // What the requests of a key meet, and how many requests met something.
    file: 'accounts',
    sqlite: ['ALTER TABLE api_keys ADD COLUMN simulate TEXT', ...SIMULATED_REQUESTS.sqlite],
    postgres: [
      'ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS simulate TEXT',
      ...SIMULATED_REQUESTS.postgres,
    ],
  },
  {
    // Authenticator apps, recovery codes and passkeys, and which sessions were proven with one.
    file: 'accounts',
    sqlite: [
      ...SECOND_FACTORS_TABLE.sqlite,
      ...PASSKEYS_TABLE.sqlite,
      'CREATE INDEX passkeys_by_user ON passkeys (user_id)',
      'ALTER TABLE accounts ADD COLUMN two_factor_enabled INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE sessions ADD COLUMN second_factor TEXT',
    ],
    postgres: [
      ...SECOND_FACTORS_TABLE.postgres,
      ...PASSKEYS_TABLE.postgres,
      'CREATE INDEX IF NOT EXISTS passkeys_by_user ON passkeys (user_id)',
      'ALTER TABLE accounts ADD COLUMN IF NOT EXISTS two_factor_enabled BIGINT NOT NULL DEFAULT 0',
      'ALTER TABLE sessions ADD COLUMN IF NOT EXISTS second_factor TEXT',
    ],
  },
  {
    // Since when an account is suspended, and why.
    file: 'accounts',
    sqlite: [
      'ALTER TABLE accounts ADD COLUMN suspended_at INTEGER',
      'ALTER TABLE accounts ADD COLUMN suspension_reason TEXT',
    ],
    postgres: [
      'ALTER TABLE accounts ADD COLUMN IF NOT EXISTS suspended_at BIGINT',
      'ALTER TABLE accounts ADD COLUMN IF NOT EXISTS suspension_reason TEXT',
    ],
  },
  {
    // Usage by key and operation, with durations. That of earlier releases stays where it is until it expires.
    file: 'accounts',
    sqlite: [...KEY_USAGE_TABLE.sqlite, KEY_USAGE_BY_AGE],
    postgres: [...KEY_USAGE_TABLE.postgres, KEY_USAGE_BY_AGE],
  },
  {
    // By which a sharded PostgreSQL places pets.
    file: 'environment',
    sqlite: [],
    postgres: PET_BUCKETS,
    online: addBucketsOnline,
  },
  {
    // Keys that pages make to try the API.
    file: 'accounts',
    sqlite: ['ALTER TABLE api_keys ADD COLUMN is_temporary INTEGER NOT NULL DEFAULT 0'],
    postgres: [
      'ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS is_temporary BIGINT NOT NULL DEFAULT 0',
    ],
  },
  {
    // The request log.
    file: 'requests',
    sqlite: [...requestLogTable('account_id TEXT NOT NULL').sqlite, ...REQUEST_LOG_INDEXES],
    postgres: [
      ...requestLogTable('account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE')
        .postgres,
      ...REQUEST_LOG_INDEXES,
    ],
  },
  {
    // For the entries of one account, and of one actor.
    file: 'accounts',
    sqlite: AUDIT_INDEXES,
    postgres: AUDIT_INDEXES,
  },
  KEY_ORIGINS_STEP,
];

/**
 * Creates a table on both engines.
 * @param definitions columns and constraints, in SQL that both know; INTEGER is any 64-bit integer.
 */
function newTable(name: string, definitions: readonly string[]): Omit<SharedStep, 'file'> {
  const list = definitions.join(', ');
  const bigints = list.replaceAll(/\bINTEGER\b/g, 'BIGINT');
  return {
    sqlite: [`CREATE TABLE ${name} (${list}) STRICT`],
    postgres: [`CREATE TABLE IF NOT EXISTS ${name} (${bigints})`],
  };
}

/** The shared steps of one kind of data file. */
export function sqliteSteps(file: SharedStep['file']): string[] {
  return SHARED_STEPS.filter((step) => step.file === file && step.sqlite.length > 0).map(
    ({ sqlite }) => sqlite.join(';\n'),
  );
}

function counter(column: string): string {
  return `${column} INTEGER NOT NULL DEFAULT 0`;
}
