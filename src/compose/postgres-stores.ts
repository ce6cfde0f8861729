import type { Config, DatabaseSettings } from '../config.ts';
import type { Environment } from '../core/environments.ts';
import { dataFolderAt } from '../data-folder.ts';
import { PostgresAccountStore } from '../postgres/account-store.ts';
import { PostgresApiKeyStore } from '../postgres/api-key-store.ts';
import { PostgresAuditLog } from '../postgres/audit-log.ts';
import { PostgresBanStore } from '../postgres/ban-store.ts';
import { RowClaims } from '../postgres/counting-claims.ts';
import { PostgresDatabase } from '../postgres/database.ts';
import { PostgresMessageStore } from '../postgres/message-store.ts';
import { migrate } from '../postgres/migrate.ts';
import { PostgresPetStore } from '../postgres/pet-store.ts';
import { requirePrimary } from '../postgres/primary.ts';
import { PostgresQuotaJournal } from '../postgres/quota-journal.ts';
import { PostgresSettings } from '../postgres/settings.ts';
import { refuseUnfinishedMove } from '../postgres/unfinished-move.ts';
import { PostgresUsageStore } from '../postgres/usage-store.ts';
import type { KeptStores } from './stores.ts';

/**
 * What is kept in a PostgreSQL database.
 * @throws SetupError when the database cannot be used.
 */
export async function openPostgresStores(
  config: Config,
  { servers, secret }: DatabaseSettings,
): Promise<KeptStores> {
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
    quotas: new PostgresQuotaJournal(database, name),
  });
  const environments = { production: open('production'), staging: open('staging') };
  const pets = Object.values(environments).map((each) => each.pets);
  const queues = [messages.arrivals, ...pets.map(({ creations }) => creations)];
  return {
    folder: dataFolderAt(config.dataDir),
    secret: Buffer.from(secret),
    settings,
    changes: settings,
    counting: new RowClaims(database),
    accounts: new PostgresAccountStore(database),
    keys: new PostgresApiKeyStore(database),
    bans: new PostgresBanStore(database),
    messages,
    usage: new PostgresUsageStore(database),
    audit: new PostgresAuditLog(database),
    // Loaded when somebody signs in: no start has to wait for it.
    signIn: async () => {
      const { PoolDialect } = await import('../postgres/pool-dialect.ts');
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
