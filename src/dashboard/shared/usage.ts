import type { Environment } from '../../core/environments.ts';
import type { ClientError, UsageCounts } from '../../core/usage.ts';

/*
 * Usage and bans in the dashboard's own API; see `api.ts`. Operators get those of any account at
 * /api/operator/accounts/ID/usage and so on, with the same replies.
 */

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
  /** Only while every live key is banned, and so no request passes: when the first of these bans ends. */
  readonly bannedUntil?: number;
}

export interface WindowInfo {
  readonly limit: number;
  /** How many requests pass before it resets; 0 while every live key is banned. */
  readonly remaining: number;
  /** When it resets. */
  readonly resetAt: number;
  /** Only while every live key is banned: how many requests pass once the first ban ends. */
  readonly afterBan?: number;
}

export type UsageEvent =
  | {
      readonly kind: 'refused';
      readonly at: number;
      readonly environment: Environment;
      /** Requests refused with 429 in the hours that begin at `at`. */
      readonly count: number;
      /** 24 where the hours of a UTC day were added up; otherwise left out, and 1. */
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

/** GET /api/bans -> { bans: BanNotice[] }, the bans in force of keys that would be accepted without them. */
export interface BanNotice {
  readonly id: string;
  readonly environment: Environment;
  readonly reason: string;
  readonly startsAt: number;
  readonly until: number;
  /** The keys that it refuses: the one that was banned and those that it was rotated to, if they are live. */
  readonly keys: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    readonly lastFour: string;
  }>;
}

/**
 * GET /api/usage/requests?last=24h -> UsageReport: the requests of the last 24 or 72 hours (`24h`, `72h`), 7 or
 * 30 UTC days (`7d`, `30d`), or from=ISO and to=ISO. `environment`, `key` (an id) and `operation` select some
 * of them. `format=csv` gives the same as CSV, a row for each hour or day, key and operation.
 */
export interface UsageReport {
  readonly now: number;
  /** The period as it was counted: whole hours, or UTC days where it is longer than 72 hours or older than 3 days. */
  readonly from: number;
  /** The end of the period, which does not belong to it. */
  readonly to: number;
  readonly bucketHours: 1 | 24;
  /** The oldest first, empty ones included. */
  readonly buckets: readonly UsageBucket[];
  readonly total: UsageFiguresInfo;
  /** By key, the most requests first, at most 100. */
  readonly keys: readonly KeyFigures[];
  /** By operation, the most requests first. */
  readonly operations: readonly OperationFigures[];
  /** What may be selected: the keys and operations with requests in the period. */
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
  /** Durations of replies in ms that 50, 95 and 99 % did not exceed; `null` where none was measured. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface UsedKey {
  /** Empty for requests that an earlier release counted, without the key. */
  readonly id: string;
  readonly environment: Environment;
  /** `null` for a key that was removed. */
  readonly name: string | null;
  readonly lastFour: string | null;
}

export interface KeyFigures extends UsageFiguresInfo {
  readonly key: UsedKey;
}

export interface OperationFigures extends UsageFiguresInfo {
  /** `none` for requests that named no operation; empty for those that an earlier release counted. */
  readonly operation: string;
}
