import type { KeyCache } from '../core/api-keys.ts';
import type { BackupRecords } from '../core/backup-records.ts';
import type { Environment } from '../core/environments.ts';
import type { KeyRing } from '../core/key-ring.ts';
import type { Leases } from '../core/lease.ts';
import type { PetStore } from '../core/pets.ts';
import type { QuotaStore } from '../core/quota.ts';
import type { DataFolder } from './data-folder.ts';
import type { FolderState } from './folder/folder-state.ts';
import type { StorageMetrics } from './metrics.ts';
import type { SharedStores } from './shared-stores.ts';
import type { Writer } from './sqlite/writer.ts';
import type { WriteOutcomes } from './write-outcomes.ts';

/** The stores of one environment. */
export interface EnvironmentStores {
  readonly pets: PetStore;
  readonly quotas: QuotaStore;
  /** Deletes all pets, idempotent requests and saved quotas; ids begin at 1 again. May raise `StorageUnavailable`. */
  reset(): Promise<void>;
}

/** The stores of one database, SQLite or PostgreSQL. */
export interface DatabaseStores extends SharedStores {
  readonly folder: DataFolder;
  /** What is wrong with the data folder; `undefined` with PostgreSQL. */
  readonly folderState: FolderState | undefined;
  readonly leases: Leases;
  /** The secret that API keys are digested with. */
  readonly secret: Buffer;
  /** The writer, as far as metrics report it. */
  readonly writer: Pick<Writer, 'waiting'>;
  /** The outcome of the last write to each file, or to the database. */
  readonly writes: WriteOutcomes;
  /**
   * Starts what the first write needs and opens its files: later there may be no file descriptor left for them.
   * Never rejects: a failure shows in `writes`.
   */
  prepareWrites(): Promise<void>;
  /**
   * Begins to load the code of rare writes, which would otherwise be loaded with the first of them, and opens the
   * file of the request log.
   */
  loadRareWrites(): void;
  /**
   * Writes to whatever the last write failed at, to find out whether writes work again.
   * @throws StorageUnavailable when they do not.
   */
  probeWrites(): Promise<void>;
  /**
   * The nodes of a sharded database that cannot be reached, as `host:port`; none otherwise. May raise
   * `StorageUnavailable`.
   */
  lostNodes(): Promise<readonly string[]>;
  /** Reports durations and failures to these metrics from now on. */
  measure(metrics: StorageMetrics): void;
  /** The stores of an environment; opened at the first call. */
  environment(name: Environment): EnvironmentStores;
  /** Waits for all pending changes, then closes everything. */
  close(): Promise<void>;
}

/** All stores, for the service and for the commands. */
export interface Stores extends Omit<DatabaseStores, 'settings' | 'secret'> {
  readonly keyRing: KeyRing;
  readonly keyCache: KeyCache;
  /** What is known of the backups of the store. */
  readonly backups: BackupRecords;
  /** Signs dashboard sessions. */
  readonly sessionSecret: string;
}
