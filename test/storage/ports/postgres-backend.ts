import type { Environment } from '../../../src/core/environments.ts';
import { PostgresAccountStore } from '../../../src/storage/postgres/account-store.ts';
import { PostgresApiKeyStore } from '../../../src/storage/postgres/api-key-store.ts';
import { PostgresAuditLog } from '../../../src/storage/postgres/audit-log.ts';
import { PostgresBanStore } from '../../../src/storage/postgres/ban-store.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/database.ts';
import { PostgresMessageStore } from '../../../src/storage/postgres/message-store.ts';
import { PostgresPetStore } from '../../../src/storage/postgres/pet-store.ts';
import { PostgresQuotaStore } from '../../../src/storage/postgres/quota-store.ts';
import { PostgresSettings } from '../../../src/storage/postgres/settings.ts';
import { PostgresUsageStore } from '../../../src/storage/postgres/usage-store.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import type { Backend } from './backend.ts';

/** Stores in a database of their own on this server. */
export async function openPostgresBackend(server: PostgresServer): Promise<Backend> {
  return connectTo(await server.createMigrated());
}

/** Stores in a database that is migrated already, over connections of their own. */
export function connectTo(url: string): Backend {
  const database = new PostgresDatabase(url);
  const messages = new PostgresMessageStore(database);
  const pets = {
    production: new PostgresPetStore(database, 'production'),
    staging: new PostgresPetStore(database, 'staging'),
  };
  return {
    accounts: new PostgresAccountStore(database),
    keys: new PostgresApiKeyStore(database),
    bans: new PostgresBanStore(database),
    settings: new PostgresSettings(database),
    messages,
    usage: new PostgresUsageStore(database),
    audit: new PostgresAuditLog(database),
    pets: (environment: Environment = 'production') => pets[environment],
    quotas: (environment: Environment = 'production') =>
      new PostgresQuotaStore(database, environment),
    another: async () => connectTo(url),
    async [Symbol.asyncDispose]() {
      await Promise.all([messages, ...Object.values(pets)].map((each) => each.close()));
      await database.close();
    },
  };
}
