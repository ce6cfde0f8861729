import type { AuditAction } from '../../core/accounts/audit.ts';
import type { SecondFactor } from '../../core/accounts/second-factors.ts';
import type { Environment } from '../../core/environments.ts';
import type { UsageCounts } from '../../core/requests/usage.ts';
import type { AccountInfo, KeyInfo } from './api.ts';
import type { UsageBucket, WindowsInfo } from './usage.ts';

/* The API for operators, below /api/operator. Times are epoch ms. Changes require a recent
   sign-in and, unless the service is configured otherwise, a session that was proven with a
   second factor. */

/** GET /api/operator/accounts/{id} -> AccountDetailsInfo. */
export interface AccountDetailsInfo {
  readonly account: AccountInfo;
  /** The newest first, at most 50. */
  readonly keys: readonly KeyInfo[];
  readonly usage: Readonly<Record<Environment, AccountUsageInfo>>;
  /** The bans of the last 30 days, the latest first, at most 50. */
  readonly bans: readonly AccountBanInfo[];
  readonly sessions: readonly AccountSessionInfo[];
  readonly secondFactors: {
    readonly hasTotp: boolean;
    readonly recoveryCodesLeft: number;
    readonly passkeys: number;
  };
  /** The newest first, at most 50. */
  readonly audit: readonly AuditInfo[];
}

export interface AccountUsageInfo extends WindowsInfo {
  /** Requests of the last 24 hours and 30 days. */
  readonly last24Hours: UsageCounts;
  readonly last30Days: UsageCounts;
}

export interface AccountBanInfo {
  readonly id: string;
  readonly keyId: string;
  readonly environment: Environment;
  readonly reason: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly liftedAt: number | null;
}

export interface AccountSessionInfo {
  readonly id: string;
  readonly createdAt: number;
  /** Accurate to a day. */
  readonly lastActiveAt: number;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  readonly secondFactor: SecondFactor | null;
}

/*
 * POST /api/operator/accounts/{id}/suspend { reason } -> 204; the holder reads the reason, 1 to 500
 * characters on one line. POST .../resume, .../end-sessions -> 204. POST .../delete { email } -> 204;
 * the address confirms which account is meant. POST /api/operator/keys/{id}/revoke -> 204.
 */

/**
 * POST /api/operator/accounts/{id}/reset-link -> 200 ResetLinkInfo: a link that sets a password,
 * once, within an hour.
 */
export interface ResetLinkInfo {
  readonly link: string;
}

/**
 * GET /api/operator/bans -> BanList. POST /api/operator/bans/{id}/lift -> 204 requires a recent
 * sign-in.
 */
export interface BanList {
  /** The latest active bans, at most `MAX_BANS`, by ascending start. */
  readonly bans: readonly BanInfo[];
  /** Number of all active bans. */
  readonly total: number;
}

export interface BanInfo {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly environment: Environment;
  readonly keyName: string;
  readonly lastFour: string;
  readonly reason: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/**
 * GET /api/operator/audit -> { entries: AuditInfo[] }, the newest first, at most 50. Filters: `actor`, a part
 * of the name; `account`, an address or an id; `action`; `from` and `to`, ISO 8601; `before`, the number of an
 * entry. With `format=csv` at most 10,000 entries as CSV.
 */
export interface AuditInfo {
  readonly number: number;
  readonly at: number;
  readonly by: string;
  readonly action: AuditAction;
  /** Empty if the entry concerns all accounts. */
  readonly accountId: string;
  /** The address of the account; `null` if the account was deleted. */
  readonly email: string | null;
  readonly detail: string;
  /** Only of sign-ins and of changes to passwords and second factors, for 90 days. */
  readonly device?: string;
  readonly address?: string;
}

/**
 * GET /api/operator/overview?by=clientErrors -> OverviewInfo, for all accounts together. `by` is what accounts are
 * compared by: `requests` (the default), `clientErrors`, `limited` or `serverErrors`.
 */
export interface OverviewInfo {
  readonly now: number;
  /** Requests with a valid key, of the last 24 hours. */
  readonly requests: UsageCounts;
  /** By hour, of the last 24 hours, the oldest first. */
  readonly hours: readonly UsageBucket[];
  /** The accounts with the most requests of the chosen kind in the last 24 hours, at most 10. */
  readonly accounts: ReadonlyArray<
    UsageCounts & {
      readonly id: string;
      /** `null` if the account was deleted. */
      readonly email: string | null;
    }
  >;
  readonly bansInForce: number;
  /** Of the last 24 hours, the slowest first, and those without a percentile last. */
  readonly operations: readonly OperationInfo[];
  /** The checks of `/readyz`, in the process that replied. */
  readonly checks: ReadonlyArray<{ readonly name: string; readonly problem: string | null }>;
  /** A command that makes backups, for a shell on the machine of the service. */
  readonly backupCommand: string;
  readonly lastBackup: { readonly at: number; readonly isRegular: boolean } | null;
}

export interface OperationInfo {
  readonly operation: string;
  readonly requests: number;
  /** Number of 4xx and 5xx replies, 429 included. */
  readonly errors: number;
  /** ms; 95 % of the requests took no longer. `null` of fewer than 20 requests. */
  readonly p95: number | null;
}
