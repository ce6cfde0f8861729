import type { Config } from '../config.ts';
import type { Clock } from '../core/clock.ts';
import type { Environment } from '../core/environments.ts';
import { SetupError } from '../core/errors.ts';
import { KeyRing } from '../core/key-ring.ts';
import type {
  ChangeSignal,
  CountingClaims,
  CredentialCache,
  PetStore,
  QuotaJournal,
  Settings,
} from '../core/ports.ts';
import { FINGERPRINT, fingerprintOf, sign } from '../core/secret.ts';
import type { DashboardStores } from '../dashboard/options.ts';
import type { DataFolder } from '../data-folder.ts';
import { MemoryCredentialCache } from '../memory/credential-cache.ts';
import type { Writer, WriterMetrics } from '../sqlite/writer.ts';
import { openSqliteStores } from './sqlite-stores.ts';

export interface EnvironmentStores {
  readonly pets: PetStore;
  readonly quotas: QuotaJournal;
}

/** What a database keeps, whichever it is. */
export interface KeptStores extends Omit<DashboardStores, 'keyRing' | 'sessionSecret'> {
  readonly folder: DataFolder;
  readonly settings: Settings;
  readonly changes: ChangeSignal;
  readonly counting: CountingClaims;
  /** What API keys are digested with. */
  readonly secret: Buffer;
  /** What makes changes. */
  readonly writer: Pick<Writer, 'waiting'>;
  /** Tells what is written and asked, from now on. */
  measure(metrics: WriterMetrics): void;
  /** Opens an environment at the first call. */
  environment(name: Environment): EnvironmentStores;
  /** Waits for every change asked for, and closes everything. */
  close(): Promise<void>;
}

/** Everything that is kept, for the service and for the commands alike. */
export interface Stores extends Omit<KeptStores, 'settings' | 'secret'>, DashboardStores {
  readonly credentials: CredentialCache;
}

/** @throws SetupError when the folder, a file in it or the database cannot be used. */
export async function openStores(config: Config, clock: Clock): Promise<Stores> {
  const { secret, settings, ...kept } = await openKept(config);
  try {
    await checkSecret(settings, secret);
  } catch (cause) {
    await kept.close();
    throw cause;
  }
  const credentials = new MemoryCredentialCache(kept.keys);
  return {
    ...kept,
    keyRing: new KeyRing(kept.keys, credentials, secret, clock),
    sessionSecret: sign(secret, 'petstore dashboard sessions'),
    credentials,
  };
}

async function openKept(config: Config): Promise<KeptStores> {
  const { database } = config;
  if (!database) return openSqliteStores(config);
  // Only here: the embedded store starts without it.
  const { openPostgresStores } = await import('./postgres-stores.ts');
  return openPostgresStores(config, database);
}

/** With another secret every key would be refused one by one; better to refuse to start. */
async function checkSecret(settings: Settings, secret: Buffer): Promise<void> {
  const print = fingerprintOf(secret);
  const kept = (await settings.find(FINGERPRINT)) ?? (await settings.keep(FINGERPRINT, print));
  if (kept === print) return;
  throw new SetupError(
    'The API keys were made with another secret. Set PETSTORE_SECRET to it, or put the file "secret" back into the data folder.',
  );
}
