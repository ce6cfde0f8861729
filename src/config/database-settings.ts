import type { DatabaseAddresses } from './postgres-address.ts';
import type { SettingReader } from './setting-reader.ts';

const MAX_CONNECTIONS = 1_000;

export interface DatabaseSettings {
  /** Addresses of its servers, one of which accepts changes; they may hold a password. */
  readonly servers: DatabaseAddresses;
  /** How many connections one process opens. */
  readonly connections: number;
  /** Key of the digests of API keys; the same for every process. */
  readonly secret: string;
}

/** Reads the address of the database and what goes with it; `undefined` without a database. */
export function readDatabase(
  reader: SettingReader<'PETSTORE_DATABASE_URL' | 'PETSTORE_DATABASE_CONNECTIONS'>,
  secret: string | undefined,
): DatabaseSettings | undefined {
  const servers = reader.postgres('PETSTORE_DATABASE_URL');
  const connections = reader.count('PETSTORE_DATABASE_CONNECTIONS', 2, MAX_CONNECTIONS);
  if (servers === undefined) return undefined;
  if (secret !== undefined) return Object.freeze({ servers, connections, secret });
  reader.problem(
    'PETSTORE_SECRET must be set with PETSTORE_DATABASE_URL: all processes need the same one.',
  );
  return undefined;
}
