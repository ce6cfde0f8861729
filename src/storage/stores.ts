import type { Dialect } from 'kysely';
import type { AccountStore } from '../core/accounts.ts';
import type { ApiKeyStore, KeyCache } from '../core/api-keys.ts';
import type { AuditLog } from '../core/audit.ts';
import type { BanStore } from '../core/ban-records.ts';
import type { ChangeSignal } from '../core/changes.ts';
import type { Environment } from '../core/environments.ts';
import type { KeyRing } from '../core/key-ring.ts';
import type { Leases } from '../core/lease.ts';
import type { MessageStore } from '../core/messages.ts';
import type { PetStore } from '../core/pets.ts';
import type { QuotaStore } from '../core/quota.ts';
import type { Settings } from '../core/settings.ts';
import type { UsageStore } from '../core/usage.ts';
import type { DataFolder } from './data-folder.ts';
import type { Writer, WriterMetrics } from './sqlite/writer.ts';

/** The stores of one environment. */
export interface EnvironmentStores {
  readonly pets: PetStore;
  readonly quotas: QuotaStore;
}

/** The stores of one database, SQLite or PostgreSQL. */
export interface DatabaseStores {
  readonly folder: DataFolder;
  readonly settings: Settings;
  readonly changes: ChangeSignal;
  readonly counting: Leases;
  readonly accounts: AccountStore;
  readonly keys: ApiKeyStore;
  readonly bans: BanStore;
  readonly messages: MessageStore;
  readonly usage: UsageStore;
  readonly audit: AuditLog;
  /** The database that holds the accounts, as better-auth reads it. */
  signIn(): Promise<Dialect>;
  /** The secret that API keys are digested with. */
  readonly secret: Buffer;
  /** The writer, as far as metrics report it. */
  readonly writer: Pick<Writer, 'waiting'>;
  /** Reports durations and failures to these metrics from now on. */
  measure(metrics: WriterMetrics): void;
  /** The stores of an environment; opened at the first call. */
  environment(name: Environment): EnvironmentStores;
  /** Waits for all pending changes, then closes everything. */
  close(): Promise<void>;
}

/** All stores, for the service and for the commands. */
export interface Stores extends Omit<DatabaseStores, 'settings' | 'secret'> {
  readonly keyRing: KeyRing;
  readonly credentials: KeyCache;
  /** Signs dashboard sessions. */
  readonly sessionSecret: string;
}
