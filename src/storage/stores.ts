import type { BackupRecords } from '../core/backup-records.ts';
import type { Environment } from '../core/environments.ts';
import type { ApiKeyService } from '../core/keys/api-key-service.ts';
import type { KeyCache } from '../core/keys/api-keys.ts';
import type { Secrets } from '../core/keys/secrets.ts';
import type { Leases } from '../core/limits/lease.ts';
import type { QuotaStore } from '../core/limits/quota.ts';
import type { OrderStore } from '../core/orders/order-store.ts';
import type { PetStore } from '../core/pets/pet-store.ts';
import type { DataFolder } from './data-folder.ts';
import type { FolderState } from './folder/folder-state.ts';
import type { StorageMetrics } from './metrics.ts';
import type { StoreSecrets } from './secrets.ts';
import type { SharedStores } from './shared-stores.ts';
import type { WriteAheadLogs } from './write-ahead-logs.ts';
import type { WriteKinds } from './write-kinds.ts';
import type { WriteOutcomes } from './write-outcomes.ts';

/** The stores of one environment. */
export interface EnvironmentStores {
  readonly pets: PetStore;
  readonly orders: OrderStore;
  readonly quotas: QuotaStore;
  /** Deletes all pets, orders, idempotent requests and saved quotas; ids start at 1 again. May raise `StorageUnavailable`. */
  reset(): Promise<void>;
}

/** The stores of one database, SQLite or PostgreSQL. */
export interface DatabaseStores extends SharedStores {
  readonly folder: DataFolder;
  /** The problems of the data folder; `undefined` with PostgreSQL. */
  readonly folderState: FolderState | undefined;
  readonly leases: Leases;
  /** The secrets for the digests of API keys, and for sessions. */
  readonly secrets: Secrets;
  /** The part of the writer that metrics report. */
  readonly writer: {
    /** The number of waiting changes. */
    readonly waiting: number;
  };
  /** The outcome of the last write to each file, or to the database. */
  readonly writes: WriteOutcomes;
  /** Whether the writes of each kind succeed. */
  readonly kinds: WriteKinds;
  /** The write-ahead logs of the data folder's databases; `undefined` with PostgreSQL. */
  readonly logs: WriteAheadLogs | undefined;
  /** Records the state of the write-ahead logs in `logs`, after a checkpoint if one is due. */
  checkpoint(): void;
  /**
   * Prepares for the first write and opens its files, because later no file descriptor may be left for them.
   * Never rejects: a failure is recorded in `writes`.
   */
  prepareWrites(): Promise<void>;
  /**
   * Loads the code of rare writes in the threads that write, and opens the file of the request log. Otherwise both
   * happen at the first use.
   * @throws StorageUnavailable when the code cannot be loaded.
   */
  load(): Promise<void>;
  /**
   * Repeats a write to each store whose last write failed, to check whether writes succeed again.
   * @throws StorageUnavailable when they do not.
   */
  probeWrites(): Promise<void>;
  /** Reports durations and failures to these metrics from now on. */
  measure(metrics: StorageMetrics): void;
  /** The stores of an environment, which are opened at the first call. */
  environment(name: Environment): EnvironmentStores;
  /** Waits for all pending changes, then closes everything. */
  close(): Promise<void>;
}

/** All stores, for the service and for the commands. */
export interface Stores extends Omit<DatabaseStores, 'settings' | 'secrets'> {
  readonly apiKeyService: ApiKeyService;
  readonly keyCache: KeyCache;
  /** The records of the store's backups. */
  readonly backups: BackupRecords;
  readonly secrets: StoreSecrets;
}
