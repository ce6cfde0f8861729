import type { BetterAuthOptions } from 'better-auth';
import type { Contract } from '../api/operations.ts';
import type { AccountStore } from '../core/accounts/accounts.ts';
import type { AuditLog } from '../core/accounts/audit.ts';
import type { MailSettings } from '../core/accounts/mail.ts';
import type { SecondFactorStore } from '../core/accounts/second-factors.ts';
import type { SecurityMetrics } from '../core/accounts/security-metrics.ts';
import type { SessionStore } from '../core/accounts/sessions.ts';
import type { BackupRecords } from '../core/backup-records.ts';
import type { ChangeListener } from '../core/changes.ts';
import type { ApiName, Environment } from '../core/environments.ts';
import type { ApiKeyService } from '../core/keys/api-key-service.ts';
import type { ApiKeyStore } from '../core/keys/api-keys.ts';
import type { SessionSecrets } from '../core/keys/secrets.ts';
import type { AttemptLimiter } from '../core/limits/attempts.ts';
import type { BanStore } from '../core/limits/ban-records.ts';
import type { BanPolicy } from '../core/limits/bans.ts';
import type { CurrentUsage } from '../core/limits/current-usage.ts';
import type { Limits } from '../core/limits/plans.ts';
import type { MessageStore } from '../core/messages/messages.ts';
import type { OrderStore } from '../core/orders/order-store.ts';
import type { PetStore } from '../core/pets/pet-store.ts';
import type { RequestLogStore } from '../core/requests/request-log.ts';
import type { UsageStore } from '../core/requests/usage.ts';
import type { SandboxControl } from '../core/sandbox/sandbox-control.ts';
import type { SandboxStore } from '../core/sandbox/sandbox-store.ts';
import type { Connections } from '../http/connection/listener.ts';
import type { Pages as ServedPages } from '../http/target/targets.ts';
import type { Clock } from '../lib/clock.ts';
import type { BundleOptions } from './pages/asset-source.ts';
import type { Passwords } from './sign-in/passwords.ts';

/** What the dashboard shows and changes. */
export interface DashboardStores {
  readonly accounts: AccountStore;
  readonly secondFactors: SecondFactorStore;
  readonly keys: ApiKeyStore;
  readonly apiKeyService: ApiKeyService;
  readonly bans: BanStore;
  readonly messages: MessageStore;
  readonly usage: UsageStore;
  readonly requestLog: Pick<RequestLogStore, 'page' | 'find'>;
  readonly audit: AuditLog;
  readonly sessions: SessionStore;
  readonly backups: BackupRecords;
  readonly sandboxes: Pick<SandboxStore, 'find'>;
  /** The animals and orders of an environment, whose files are opened at the first call. */
  environment(name: Environment): { readonly pets: PetStore; readonly orders: OrderStore };
  /** The database of the accounts, through Kysely, for signing in. */
  queries(): Promise<Extract<BetterAuthOptions['database'], { db: unknown }>['db']>;
  /** The keys of cookies and encryption. */
  readonly secrets: SessionSecrets;
}

/** The dashboard, as the HTTP service serves it. */
export interface Pages extends ServedPages {
  /**
   * Ends the event streams, which would otherwise stay open and delay the stop.
   * @param isLast whether new streams are refused from now on.
   */
  endStreams(isLast: boolean): void;
  /** Encrypts the secrets of authenticator apps with the current secret; may raise `StorageUnavailable`. */
  moveSecondFactors(): Promise<void>;
  /** Waits for work that continues after replies; called once no request is left. */
  close(): Promise<void>;
}

export interface DashboardOptions {
  /** Base addresses, without a trailing slash. */
  readonly addresses: Readonly<Record<ApiName | 'dashboard', string>>;
  /** The operations that are served. */
  readonly contract: Contract;
  readonly stores: DashboardStores;
  /** Counters of attempts to sign in, to reset a password and so on. */
  readonly attempts: AttemptLimiter;
  /** The current usage of an account in both windows of an environment. */
  readonly currentUsage: CurrentUsage;
  /** The sandbox of staging. */
  readonly sandbox: SandboxControl;
  /** When keys are banned, and for how long. */
  readonly banPolicy: BanPolicy;
  /** Of requests without a valid key, by client address. */
  readonly anonymousLimits: Limits;
  /** The e-mail or web address where people ask for another plan. */
  readonly contact: string | undefined;
  /** Without these settings no mail is sent. */
  readonly mail: MailSettings | undefined;
  /** Limits of sign-ups, per client address. */
  readonly signUpLimits: Limits;
  /** Retention of the request log, in days; 0 if it is off. */
  readonly requestLogDays: number;
  /** Whether operators need a session that was proven with a second factor to change anything. */
  readonly operatorsNeedSecondFactor: boolean;
  /** Calls a listener for all changes from now on, until the returned function is called. */
  followChanges(listener: ChangeListener): () => void;
  /** The outcome of every check of this process, by name; `undefined` where there is no problem. */
  checkReadiness(): Promise<ReadonlyMap<string, string | undefined>>;
  /** Whether and where the bundle of the pages is kept for the next start. */
  readonly bundle: BundleOptions;
  /** The connections of the requests in flight. */
  readonly connections: Pick<Connections, 'closeAfter'>;
  readonly clock: Clock;
  readonly metrics: SecurityMetrics;
  /** By default argon2id. */
  readonly passwords?: Passwords | undefined;
  readonly log: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}
