import { createHmac } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Clock } from '../core/clock.ts';
import type { Environment } from '../core/environments.ts';
import { SetupError } from '../core/errors.ts';
import { KeyRing } from '../core/key-ring.ts';
import type {
  ChangeSignal,
  CredentialCache,
  PetStore,
  QuotaJournal,
  Settings,
} from '../core/ports.ts';
import type { DashboardStores } from '../dashboard/options.ts';
import { type DataFolder, keepRestoreOut, openDataFolder, readSecret } from '../data-folder.ts';
import { MemoryCredentialCache } from '../memory/credential-cache.ts';
import { SqliteAccountStore } from '../sqlite/account-store.ts';
import { SqliteApiKeyStore } from '../sqlite/api-key-store.ts';
import { SqliteAuditLog } from '../sqlite/audit-log.ts';
import { SqliteBanStore } from '../sqlite/ban-store.ts';
import { SqliteFile } from '../sqlite/file.ts';
import { SqliteMessageStore } from '../sqlite/message-store.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA } from '../sqlite/migrations.ts';
import { SqlitePetStore } from '../sqlite/pet-store.ts';
import { SqliteQuotaJournal } from '../sqlite/quota-journal.ts';
import { SqliteSettings } from '../sqlite/settings.ts';
import { SqliteUsageStore } from '../sqlite/usage-store.ts';
import { Writer } from '../sqlite/writer.ts';

/** The setting that tells which secret the keys were made with. */
const FINGERPRINT = 'secret_fingerprint';

export interface EnvironmentStores {
  readonly pets: PetStore;
  readonly quotas: QuotaJournal;
}

/** Everything that is kept, for the service and for the commands alike. */
export interface Stores extends DashboardStores {
  readonly folder: DataFolder;
  readonly changes: ChangeSignal;
  readonly credentials: CredentialCache;
  /** What changes the files; to be measured. */
  readonly writer: Pick<Writer, 'waiting' | 'metrics'>;
  /** Opens an environment's file at the first call. */
  environment(name: Environment): EnvironmentStores;
  /** Waits for every change asked for, and closes the files. */
  close(): Promise<void>;
}

/** @throws SetupError when the folder or a file in it cannot be used. */
export async function openStores(config: Config, clock: Clock): Promise<Stores> {
  await using opening = new AsyncDisposableStack();
  const folder = openDataFolder(config.dataDir);
  const lock = keepRestoreOut(folder);
  opening.defer(() => lock.release());
  const writer = new Writer();
  opening.defer(() => writer.close());
  const openFile = (path: string, schema: typeof ACCOUNTS_SCHEMA) => {
    const file = new SqliteFile(path, schema, writer);
    opening.defer(() => file.close());
    return file;
  };
  const accountsFile = openFile(folder.accounts, ACCOUNTS_SCHEMA);
  const settings = new SqliteSettings(accountsFile);
  const isFirstStart = settings.find(FINGERPRINT) === undefined;
  const secret = readSecret(folder, config.secret, isFirstStart);
  await checkSecret(settings, secret);
  const keys = new SqliteApiKeyStore(accountsFile);
  const credentials = new MemoryCredentialCache(keys);
  const environments = new Map<Environment, EnvironmentStores>();
  const resources = opening.move();
  return {
    folder,
    accounts: new SqliteAccountStore(accountsFile),
    keys,
    keyRing: new KeyRing(keys, credentials, secret, clock),
    bans: new SqliteBanStore(accountsFile),
    messages: new SqliteMessageStore(accountsFile),
    usage: new SqliteUsageStore(accountsFile),
    audit: new SqliteAuditLog(accountsFile),
    // Loaded when somebody signs in: no start has to wait for it.
    signIn: async () => {
      const { FileDialect } = await import('../sqlite/file-dialect.ts');
      return new FileDialect(accountsFile);
    },
    sessionSecret: createHmac('sha256', secret).update('petstore dashboard sessions').digest('hex'),
    changes: settings,
    credentials,
    writer,
    environment(name) {
      const known = environments.get(name);
      if (known) return known;
      const file = new SqliteFile(folder.database(name), ENVIRONMENT_SCHEMA, writer);
      resources.defer(() => file.close());
      const stores = { pets: new SqlitePetStore(file), quotas: new SqliteQuotaJournal(file) };
      environments.set(name, stores);
      return stores;
    },
    close: () => resources.disposeAsync(),
  };
}

/** With another secret every key would be refused one by one; better to refuse to start. */
async function checkSecret(settings: Settings, secret: Buffer): Promise<void> {
  const print = createHmac('sha256', secret).update('petstore secret fingerprint').digest('hex');
  const kept = (await settings.find(FINGERPRINT)) ?? (await settings.keep(FINGERPRINT, print));
  if (kept === print) return;
  throw new SetupError(
    'The API keys were made with another secret. Set PETSTORE_SECRET to it, or put the file "secret" back into the data folder.',
  );
}
