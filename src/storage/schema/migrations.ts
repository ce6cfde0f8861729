import { ORDER_INDEXES, ORDERS, ORDERS_BY_PET } from '../orders/order-tables.ts';
import { addBucketsOnline, PET_BUCKETS } from '../pets/pet-buckets.ts';
import { PET_FEED, TAKEN_IDS } from '../pets/pet-feed-tables.ts';
import {
  concatSteps,
  newColumns,
  newIndexes,
  newTable,
  onBoth,
  type SharedStep,
  type Statements,
  step,
} from './migration-steps.ts';

/** The sign-in tables, used in the lists of both engines. Times are text: ISO 8601, UTC. */
export const SIGNING_IN = concatSteps(
  newTable('credentials', [
    'id TEXT PRIMARY KEY',
    'user_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
    'account_id TEXT NOT NULL',
    'provider_id TEXT NOT NULL',
    'password TEXT, access_token TEXT, refresh_token TEXT, id_token TEXT',
    'access_token_expires_at TEXT, refresh_token_expires_at TEXT, scope TEXT',
    'created_at TEXT NOT NULL, updated_at TEXT NOT NULL',
  ]),
  newIndexes('credentials_by_user ON credentials (user_id)'),
  newTable('sessions', [
    'id TEXT PRIMARY KEY',
    'user_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
    'token TEXT NOT NULL UNIQUE',
    'expires_at TEXT NOT NULL',
    'ip_address TEXT, user_agent TEXT',
    'created_at TEXT NOT NULL, updated_at TEXT NOT NULL',
  ]),
  newIndexes('sessions_by_user ON sessions (user_id)'),
  newTable('verifications', [
    'id TEXT PRIMARY KEY',
    'identifier TEXT NOT NULL',
    'value TEXT NOT NULL',
    'expires_at TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL',
  ]),
  newIndexes('verifications_by_identifier ON verifications (identifier)'),
);

/** Usage by account, used in the lists of both engines. */
export const USAGE = concatSteps(
  newTable(
    'usage',
    [
      'account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
      "environment TEXT NOT NULL CHECK (environment IN ('production', 'staging'))",
      'hour INTEGER NOT NULL',
      'succeeded INTEGER NOT NULL, client_errors INTEGER NOT NULL',
      'limited INTEGER NOT NULL, server_errors INTEGER NOT NULL',
      'PRIMARY KEY (account_id, hour, environment)',
    ],
    'STRICT, WITHOUT ROWID',
  ),
  newIndexes('usage_by_hour ON usage (hour)'),
);

/** The `Idempotency-Key` of messages, used in the lists of both engines. */
export const REPEATED_MESSAGES = concatSteps(
  newColumns('messages', 'idempotency_key TEXT'),
  onBoth(
    `CREATE UNIQUE INDEX IF NOT EXISTS messages_by_idempotency_key
      ON messages (account_id, environment, idempotency_key)`,
  ),
);

/** @param accountId definition of the column: only in PostgreSQL are the accounts in the same database. */
function requestLogTable(accountId: string): Statements {
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

export const SHARED_STEPS: readonly SharedStep[] = [
  // The changes themselves in addition to their number; added by the functions that make changes.
  step(
    'accounts',
    {
      sqlite: [
        ...['account_changed', 'account_deleted', 'api_key_changed', 'ban_lifted'].map(
          (trigger) => `DROP TRIGGER ${trigger}`,
        ),
        "ALTER TABLE revision ADD COLUMN name TEXT NOT NULL DEFAULT 'changes'",
      ],
      postgres: [],
    },
    newTable('changes', [
      'revision INTEGER PRIMARY KEY',
      'subject_kind TEXT NOT NULL',
      'subject_id TEXT NOT NULL',
    ]),
  ),
  // Addresses in lower case in addition to their spelling, sorted by code point, on both engines.
  step('accounts', {
    sqlite: [
      'ALTER TABLE accounts ADD COLUMN written_as TEXT',
      'UPDATE accounts SET written_as = email, email = lower(email)',
    ],
    postgres: ['ALTER TABLE accounts ALTER COLUMN email TYPE TEXT COLLATE "C"'],
  }),
  // The first reply itself in addition to the id of the pet.
  step('environment', newColumns('idempotent_requests', 'reply_status INTEGER', 'reply_body TEXT')),
  // The rotation chain that a key and a ban belong to; NULL means that of the key itself.
  step('accounts', newColumns('api_keys', 'chain_id TEXT'), newColumns('bans', 'chain_id TEXT')),
  // For pages of keys, the keys of one day, and pruning keys that ended long ago.
  step(
    'accounts',
    newIndexes(
      'api_keys_by_age ON api_keys (account_id, created_at, id)',
      'api_keys_by_expires_at ON api_keys (expires_at) WHERE expires_at IS NOT NULL',
      'api_keys_by_revoked_at ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL',
      'bans_by_key ON bans (key_id, starts_at)',
    ),
    onBoth('DROP INDEX IF EXISTS api_keys_by_account'),
  ),
  // The sandbox of staging, and how far an account's clock was ahead when a key or a ban was created.
  step(
    'accounts',
    newTable('sandboxes', [
      'account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE',
      'clock_offset INTEGER NOT NULL',
      'simulation TEXT',
      'usage_order TEXT',
    ]),
    newColumns('api_keys', 'clock_offset INTEGER NOT NULL DEFAULT 0'),
    newColumns('bans', 'clock_offset INTEGER NOT NULL DEFAULT 0'),
  ),
  // The simulation for the requests of a key, and how many requests a simulation applied to.
  step(
    'accounts',
    newColumns('api_keys', 'simulate TEXT'),
    newTable('simulated_requests', [
      'account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
      'counter TEXT NOT NULL',
      'requests INTEGER NOT NULL',
      'PRIMARY KEY (account_id, counter)',
    ]),
  ),
  // Authenticator apps, recovery codes and passkeys, and which sessions were proven with one.
  step(
    'accounts',
    newTable('second_factors', [
      'id TEXT PRIMARY KEY',
      'user_id TEXT NOT NULL UNIQUE REFERENCES accounts (id) ON DELETE CASCADE',
      'secret TEXT NOT NULL',
      'backup_codes TEXT NOT NULL',
      'verified INTEGER NOT NULL',
      'failed_verification_count INTEGER NOT NULL DEFAULT 0',
      'locked_until TEXT',
      'last_step INTEGER',
    ]),
    newTable('passkeys', [
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
    ]),
    newIndexes('passkeys_by_user ON passkeys (user_id)'),
    newColumns('accounts', 'two_factor_enabled INTEGER NOT NULL DEFAULT 0'),
    newColumns('sessions', 'second_factor TEXT'),
  ),
  // When and why an account was suspended.
  step('accounts', newColumns('accounts', 'suspended_at INTEGER', 'suspension_reason TEXT')),
  // Usage by key and operation, with durations. Usage of earlier releases stays in its table until it expires.
  step(
    'accounts',
    newTable('key_usage', [
      'account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
      'hour INTEGER NOT NULL',
      'hours INTEGER NOT NULL',
      "environment TEXT NOT NULL CHECK (environment IN ('production', 'staging'))",
      'key_id TEXT NOT NULL',
      'operation TEXT NOT NULL',
      // The columns are listed here because a step must not change with the code.
      ...['succeeded', 'client_errors', 'limited', 'server_errors'].map(counter),
      ...['invalid', 'unauthorized', 'not_found', 'conflicts'].map(counter),
      ...Array.from({ length: 32 }, (_, bucket) => counter(`took_${bucket}`)),
      'PRIMARY KEY (account_id, hour, hours, key_id, operation)',
    ]),
    newIndexes('key_usage_by_age ON key_usage (hours, hour)'),
  ),
  // Buckets, by which a sharded PostgreSQL distributes pets.
  { ...step('environment', { sqlite: [], postgres: PET_BUCKETS }), online: addBucketsOnline },
  // Keys that web pages create for trying the API.
  step('accounts', newColumns('api_keys', 'is_temporary INTEGER NOT NULL DEFAULT 0')),
  // The request log.
  step(
    'requests',
    {
      sqlite: requestLogTable('account_id TEXT NOT NULL').sqlite,
      postgres: requestLogTable(
        'account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
      ).postgres,
    },
    newIndexes(
      'request_log_by_request_id ON request_log (request_id)',
      'request_log_by_age ON request_log (at)',
    ),
  ),
  // For the entries of one account and of one actor.
  step(
    'accounts',
    newIndexes(
      'audit_by_account_id ON audit (account_id, number)',
      'audit_by_actor ON audit (actor, number)',
    ),
  ),
  // The key that a key replaced by rotation, and the key that a message was sent with.
  step(
    'accounts',
    newColumns('api_keys', 'predecessor_id TEXT'),
    newColumns('messages', 'key_id TEXT'),
  ),
  // Where a sign-in or a change to a password or a second factor came from, and indexes for deleting it.
  step(
    'accounts',
    newColumns('audit', 'device TEXT', 'address TEXT'),
    newIndexes(
      'audit_by_action ON audit (action, at)',
      'audit_with_address ON audit (at) WHERE address IS NOT NULL',
    ),
  ),
  // The secret of a key's digest; NULL means the first one of the store.
  step('accounts', newColumns('api_keys', 'secret_id TEXT')),
  // The account that a pet belongs to, and its open order.
  step('environment', newPetColumns()),
  // The changes of pets, for the caches of servers, and in PostgreSQL the ids of deleted pets.
  step('environment', PET_FEED),
  // Orders of pets.
  step('environment', ORDERS, ORDER_INDEXES),
  // Up to which id a database that was filled from a data folder has no id that a pet can still get.
  step('environment', TAKEN_IDS),
  // For the latest order of an account for a pet.
  step('environment', ORDERS_BY_PET),
  // The latest batch of usage that each process has added, which PostgreSQL has had before.
  step('accounts', {
    sqlite: [
      'CREATE TABLE usage_sources (id TEXT PRIMARY KEY, batch INTEGER NOT NULL, hour INTEGER NOT NULL) STRICT, WITHOUT ROWID',
    ],
    postgres: [],
  }),
];

/** The shared steps of one kind of data file. */
export function sqliteSteps(file: SharedStep['file']): string[] {
  return SHARED_STEPS.filter((step) => step.file === file && step.sqlite.length > 0).map(
    ({ sqlite }) => sqlite.join(';\n'),
  );
}

function newPetColumns(): Statements {
  return {
    sqlite: [
      'ALTER TABLE pets ADD COLUMN owner BLOB',
      'ALTER TABLE pets ADD COLUMN open_order INTEGER',
      // The highest id that was ever assigned, once a pet with it was deleted.
      'CREATE TABLE highest_ids (name TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID',
    ],
    postgres: [
      'ALTER TABLE pets ADD COLUMN IF NOT EXISTS owner BYTEA',
      'ALTER TABLE pets ADD COLUMN IF NOT EXISTS open_order BIGINT',
    ],
  };
}

function counter(column: string): string {
  return `${column} INTEGER NOT NULL DEFAULT 0`;
}
