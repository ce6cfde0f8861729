import type { Config, DatabaseSettings } from '../../config/config.ts';
import type { Environment } from '../../core/environments.ts';
import { dataFolderAt } from '../data-folder.ts';
import type { DatabaseStores } from '../stores.ts';
import { PostgresAccountStore } from './account-store.ts';
import { PostgresApiKeyStore } from './api-key-store.ts';
import { PostgresAuditLog } from './audit-log.ts';
import { PostgresBanStore } from './ban-store.ts';
import { PostgresDatabase } from './database.ts';
import { RowLeases } from './leases.ts';
import { PostgresMessageStore } from './message-store.ts';
import { migrate } from './migrate.ts';
import { PostgresPetStore } from './pet-store.ts';
import { requirePrimary } from './primary.ts';
import { PostgresQuotaStore } from './quota-store.ts';
import { PostgresSettings } from './settings.ts';
import { refuseUnfinishedMove } from './unfinished-move.ts';
import { PostgresUsageStore } from './usage-store.ts';

/**
 * What is kept in a PostgreSQL database.
 * @throws SetupError when the database cannot be used.
 */
export async function openPostgresStores(
  config: Config,
  { servers, secret }: DatabaseSettings,
): Promise<DatabaseStores> {
  const primary = await requirePrimary(servers);
  await migrate(primary);
  const database = new PostgresDatabase(primary, servers);
  try {
    await refuseUnfinishedMove(database);
  } catch (cause) {
    await database.close();
    throw cause;
  }
  const settings = new PostgresSettings(database);
  const messages = new PostgresMessageStore(database);
  const open = (name: Environment) => ({
    pets: new PostgresPetStore(database, name),
    quotas: new PostgresQuotaStore(database, name),
  });
  const environments = { production: open('production'), staging: open('staging') };
  const pets = Object.values(environments).map((each) => each.pets);
  const queues = [messages.arrivals, ...pets.map(({ creations }) => creations)];
  return {
    folder: dataFolderAt(config.dataDir),
    secret: Buffer.from(secret),
    settings,
    changes: settings,
    counting: new RowLeases(database),
    accounts: new PostgresAccountStore(database),
    keys: new PostgresApiKeyStore(database),
    bans: new PostgresBanStore(database),
    messages,
    usage: new PostgresUsageStore(database),
    audit: new PostgresAuditLog(database),
    // Loaded when somebody signs in: no start has to wait for it.
    signIn: async () => {
      const { PoolDialect } = await import('./pool-dialect.ts');
      return new PoolDialect(database);
    },
    writer: {
      get waiting() {
        return queues.reduce((sum, { waiting }) => sum + waiting, 0);
      },
    },
    measure(metrics) {
      database.metrics = metrics;
      for (const queue of queues) queue.metrics = metrics;
    },
    environment: (name) => environments[name],
    async close() {
      await Promise.all([messages, ...pets].map((each) => each.close()));
      await database.close();
    },
  };
}
