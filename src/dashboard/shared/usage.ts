import type { Environment } from '../../core/environments.ts';
import type { ClientError, UsageCounts } from '../../core/requests/usage.ts';
import type { KeyLink } from './api.ts';

/* Usage and bans in the dashboard's own API; see `api.ts`. For operators,
   /api/operator/accounts/ID/usage and so on return the same for any account. */

/** GET /api/usage -> UsageInfo. */
export interface UsageInfo {
  readonly now: number;
  readonly windows: Readonly<Record<Environment, WindowsInfo>>;
  /** Refusals and bans of the last 30 days, the newest first, at most 50. */
  readonly events: readonly UsageEvent[];
}

export interface WindowsInfo {
  readonly minute: WindowInfo;
  readonly day: WindowInfo;
  /**
   * Present while every active key is banned, so that no request is admitted: the end of the first of
   * these bans.
   */
  readonly bannedUntil?: number;
}

export interface WindowInfo {
  readonly limit: number;
  /** Requests that are admitted before the window resets; 0 while every active key is banned. */
  readonly remaining: number;
  /** When it resets. */
  readonly resetAt: number;
  /**
   * Present while every active key is banned: the requests that are admitted once the first ban ends.
   */
  readonly afterBan?: number;
}

export type UsageEvent =
  | {
      readonly kind: 'refused';
      readonly at: number;
      readonly environment: Environment;
      /** Requests refused with 429 in the hours that begin at `at`. */
      readonly count: number;
      /** 24 if the hours of a UTC day were added up; otherwise absent, which means 1. */
      readonly hours?: number;
    }
  | {
      readonly kind: 'banned';
      readonly at: number;
      readonly environment: Environment;
      readonly keyId: string;
      readonly keyName: string;
      readonly lastFour: string;
      readonly until: number;
      readonly reason: string;
      readonly liftedAt: number | null;
    };

/**
 * GET /api/bans -> { bans: BanNotice[] }, the active bans of keys that would otherwise be accepted.
 */
export interface BanNotice {
  readonly id: string;
  readonly environment: Environment;
  readonly reason: string;
  readonly startsAt: number;
  readonly until: number;
  /** The active keys that the ban applies to: the banned key and its successors by rotation. */
  readonly keys: readonly KeyLink[];
}

/**
 * GET /api/usage/requests?last=24h -> UsageReport: the requests of the last 24 or 72 hours (`24h`,
 * `72h`), 7 or 30 UTC days (`7d`, `30d`), or from=ISO and to=ISO. Filters: `environment`, `key` (an
 * id) and `operation`. `format=csv` returns the same as CSV, with a row for each hour or day, key
 * and operation.
 */
export interface UsageReport {
  readonly now: number;
  /**
   * The period, rounded to whole hours, or to UTC days if it is longer than 72 hours or older than
   * 3 days.
   */
  readonly from: number;
  /** The end of the period, exclusive. */
  readonly to: number;
  readonly bucketHours: 1 | 24;
  /** The oldest first, empty ones included. */
  readonly buckets: readonly UsageBucket[];
  readonly total: UsageFiguresInfo;
  /** By key, the most requests first, at most 100. */
  readonly keys: readonly KeyFigures[];
  /** By operation, the most requests first. */
  readonly operations: readonly OperationFigures[];
  /** The choices for the filters: the keys and operations with requests in the period. */
  readonly choices: {
    readonly keys: readonly UsedKey[];
    readonly operations: readonly string[];
  };
}

export interface UsageBucket extends UsageCounts {
  /** The beginning of the hour or day. */
  readonly from: number;
}

export interface UsageFiguresInfo extends UsageCounts, Readonly<Record<ClientError, number>> {
  /** Percentiles 50, 95 and 99 of the durations, in ms, with two digits; `null` of fewer than 20 requests. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface UsedKey {
  /** Empty for requests that were counted by an earlier release, which did not record the key. */
  readonly id: string;
  readonly environment: Environment;
  /** `null` if the key was removed. */
  readonly name: string | null;
  readonly lastFour: string | null;
}

interface KeyFigures extends UsageFiguresInfo {
  readonly key: UsedKey;
}

interface OperationFigures extends UsageFiguresInfo {
  /**
   * `none` for requests without an operation; empty for requests that were counted by an earlier
   * release.
   */
  readonly operation: string;
}
