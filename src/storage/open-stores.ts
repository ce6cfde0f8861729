import type { Config } from '../config/config.ts';
import { ApiKeyService } from '../core/keys/api-key-service.ts';
import type { Clock } from '../lib/clock.ts';
import { storedBackupRecords } from './backup-records.ts';
import { asSetupError } from './folder/file-failures.ts';
import { MemoryKeyCache } from './keys/key-cache.ts';
import { openSecrets, type StoreSecrets } from './secrets.ts';
import { openSqliteStores } from './sqlite/open-stores.ts';
import type { WriterThreads } from './sqlite/writer-threads.ts';
import type { DatabaseStores, Stores } from './stores.ts';

/**
 * @param threads source of the writer threads of a data folder; by default each writer starts its own.
 * @throws SetupError when the folder, a file in it or the database cannot be used.
 */
export async function openStores(
  config: Config,
  clock: Clock,
  threads?: WriterThreads,
): Promise<Stores> {
  const { secrets: own, settings, ...stores } = await openDatabase(config, clock, threads);
  let secrets: StoreSecrets;
  try {
    secrets = await openSecrets({ settings, queries: stores.queries }, own);
  } catch (cause) {
    await stores.close();
    throw config.database ? cause : asSetupError(stores.folder, cause);
  }
  const keyCache = new MemoryKeyCache(stores.keys);
  const { current: secret, previous: previousSecrets } = own;
  const { fixedKeys } = config;
  return {
    ...stores,
    secrets,
    apiKeyService: new ApiKeyService(stores.keys, keyCache, {
      secret,
      previousSecrets,
      fixedKeys,
      clock,
    }),
    keyCache,
    backups: storedBackupRecords(settings),
  };
}

async function openDatabase(
  config: Config,
  clock: Clock,
  threads: WriterThreads | undefined,
): Promise<DatabaseStores> {
  const { database } = config;
  if (!database) return openSqliteStores(config, clock, threads);
  // Loaded only here, because the embedded store does not need it.
  const { openPostgresStores } = await import('./postgres/open-stores.ts');
  return openPostgresStores(config, database, clock);
}
