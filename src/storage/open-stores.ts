import type { Config } from '../config/config.ts';
import { SetupError } from '../core/errors.ts';
import { KeyRing } from '../core/key-ring.ts';
import { FINGERPRINT, fingerprintOf, sign } from '../core/secret.ts';
import type { Settings } from '../core/settings.ts';
import type { Clock } from '../lib/clock.ts';
import { storedBackupRecords } from './backup-records.ts';
import { asSetupError } from './folder/file-failures.ts';
import { MemoryKeyCache } from './keys/key-cache.ts';
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
  const { secret, settings, ...stores } = await openDatabase(config, clock, threads);
  try {
    await checkSecret(settings, secret);
  } catch (cause) {
    await stores.close();
    throw config.database ? cause : asSetupError(stores.folder, cause);
  }
  const keyCache = new MemoryKeyCache(stores.keys);
  return {
    ...stores,
    keyRing: new KeyRing(stores.keys, keyCache, { secret, fixedKeys: config.fixedKeys, clock }),
    sessionSecret: sign(secret, 'petstore dashboard sessions'),
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

/** With a different secret every key would be refused, so refuse to start instead. */
async function checkSecret(settings: Settings, secret: Buffer): Promise<void> {
  const print = fingerprintOf(secret);
  const kept = (await settings.find(FINGERPRINT)) ?? (await settings.keep(FINGERPRINT, print));
  if (kept === print) return;
  throw new SetupError(
    'The API keys were made with another secret. Set PETSTORE_SECRET to it, or put the file "secret" back into the data folder.',
  );
}
