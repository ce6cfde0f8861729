import type { Environment } from '../../core/environments.ts';

/** A value as both databases have it: whole numbers as bigint, bytes as a Buffer. */
export type Value = string | bigint | Buffer | null;

/** A table that is carried over, under the names that it has in PostgreSQL. */
export interface Table {
  readonly name: string;
  /** Which file of the data folder has it. In PostgreSQL both environments lie in one table. */
  readonly file: 'accounts' | Environment;
  /** Its columns; those of the primary key come first. */
  readonly columns: readonly string[];
  /** How many of the columns are the primary key. */
  readonly keyLength: number;
  /** What SQLite selects for a column that is kept in another form there. */
  readonly expressions?: Readonly<Record<string, string>>;
  /** Columns whose text is kept as a JSON string in PostgreSQL, whose own text has no U+0000. */
  readonly asJson?: readonly string[];
  /** Gives the numbers of this column; it goes on after the highest that was given. */
  readonly sequence?: { readonly name: string; readonly column: string };
}

const TIMES = ['created_at', 'updated_at'] as const;

function environmentTables(file: Environment): Table[] {
  const pets: Table = {
    name: 'pets',
    file,
    columns: ['id', 'name', 'category_id', 'status'],
    keyLength: 1,
    sequence: { name: `${file}_pet_ids`, column: 'id' },
  };
  return [
    pets,
    {
      name: 'idempotent_requests',
      file,
      columns: ['account_id', 'key', 'fingerprint', 'pet_id', 'created_at'],
      keyLength: 2,
    },
    {
      name: 'quotas',
      file,
      columns: ['caller', 'minute_ends_at', 'minute_used', 'day', 'day_used'],
      keyLength: 1,
    },
  ];
}

/** Everything that is kept, in an order in which no row refers to one that is yet to come. */
export const TABLES: readonly Table[] = [
  { name: 'settings', file: 'accounts', columns: ['name', 'value'], keyLength: 1 },
  {
    name: 'accounts',
    file: 'accounts',
    columns: [
      ...['id', 'email', 'written_as', 'plan', 'per_minute', 'per_day', 'created_at', 'role'],
      ...['name', 'email_verified', 'image', 'signed_up_at', 'updated_at'],
    ],
    keyLength: 1,
    expressions: { email: 'lower(email)', written_as: 'email' },
  },
  {
    name: 'api_keys',
    file: 'accounts',
    columns: [
      ...['id', 'account_id', 'environment', 'name', 'digest', 'prefix', 'last_four'],
      ...['created_at', 'expires_at', 'revoked_at', 'last_used_at'],
    ],
    keyLength: 1,
  },
  {
    name: 'bans',
    file: 'accounts',
    columns: [
      ...['id', 'key_id', 'account_id', 'environment', 'reason', 'level', 'starts_at', 'ends_at'],
      ...['lifted_at', 'lifted_by'],
    ],
    keyLength: 1,
  },
  {
    name: 'credentials',
    file: 'accounts',
    columns: [
      ...['id', 'user_id', 'account_id', 'provider_id', 'password', 'access_token'],
      ...['refresh_token', 'id_token', 'access_token_expires_at', 'refresh_token_expires_at'],
      ...['scope', ...TIMES],
    ],
    keyLength: 1,
  },
  {
    name: 'sessions',
    file: 'accounts',
    columns: ['id', 'user_id', 'token', 'expires_at', 'ip_address', 'user_agent', ...TIMES],
    keyLength: 1,
  },
  {
    name: 'verifications',
    file: 'accounts',
    columns: ['id', 'identifier', 'value', 'expires_at', ...TIMES],
    keyLength: 1,
  },
  {
    name: 'messages',
    file: 'accounts',
    columns: [
      ...['account_id', 'id', 'sequence', 'environment', 'text', 'created_at', 'delivered_at'],
      'idempotency_key',
    ],
    keyLength: 2,
    asJson: ['text'],
    sequence: { name: 'message_sequence', column: 'sequence' },
  },
  {
    name: 'usage',
    file: 'accounts',
    columns: [
      ...['account_id', 'hour', 'environment', 'succeeded', 'client_errors', 'limited'],
      'server_errors',
    ],
    keyLength: 3,
  },
  {
    name: 'audit',
    file: 'accounts',
    columns: ['number', 'at', 'actor', 'action', 'account_id', 'detail'],
    keyLength: 1,
    sequence: { name: 'audit_numbers', column: 'number' },
  },
  ...environmentTables('production'),
  ...environmentTables('staging'),
];

/** What a table is called in progress and in reports. */
export function titleOf({ name, file }: Table): string {
  return file === 'accounts' ? name : `${name} of ${file}`;
}
