import type { Awaitable } from '../lib/awaitable.ts';
import { HOUR } from '../lib/clock.ts';
import type { Environment } from './environments.ts';

/** The outcome of a request, as usage counts it. */
export const OUTCOMES = ['succeeded', 'clientErrors', 'limited', 'serverErrors'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The number of requests by outcome. */
export type UsageCounts = Readonly<Record<Outcome, number>>;

/** The requests of one account in one environment and one hour. */
export interface UsageRecord extends UsageCounts {
  readonly accountId: string;
  readonly environment: Environment;
  /** Whole hours since the Unix epoch, UTC. */
  readonly hour: number;
}

/** The requests of one account in one environment in one hour. Updated in place. */
export interface AccountUsage {
  readonly accountId: string;
  /** Whole hours since the Unix epoch, UTC. */
  hour: number;
  readonly counts: { -readonly [Each in Outcome]: number };
  /** Whether requests may be added to it; no longer once it is being saved. */
  isOpen: boolean;
}

export const NO_USAGE: UsageCounts = { succeeded: 0, clientErrors: 0, limited: 0, serverErrors: 0 };

/** @param status of the reply. */
export function outcomeOf(status: number): Outcome {
  if (status < 400) return 'succeeded';
  if (status === 429) return 'limited';
  return status < 500 ? 'clientErrors' : 'serverErrors';
}

/** The hour of a time (epoch ms), in hours since the Unix epoch. */
export function hourOf(moment: number): number {
  return Math.floor(moment / HOUR);
}

export function addCounts(a: UsageCounts, b: UsageCounts): UsageCounts {
  return {
    succeeded: a.succeeded + b.succeeded,
    clientErrors: a.clientErrors + b.clientErrors,
    limited: a.limited + b.limited,
    serverErrors: a.serverErrors + b.serverErrors,
  };
}

/** Identifies a batch of usage records, so that it is added only once. */
export interface BatchMark {
  readonly source: string;
  /** Greater than the number of the source's previous batch. */
  readonly number: number;
}

/** Request counts by hour. Every call may raise `StorageUnavailable`. */
export interface UsageStore {
  /**
   * Adds the records to the stored counts: all of them, or none when it fails. A batch with a mark may
   * be sent again unchanged, when it is unknown whether it was added: it is added only once.
   */
  add(records: readonly UsageRecord[], mark?: BatchMark): Promise<void>;
  /**
   * An account's usage in both environments, from the first hour to the last, if given (hours since the
   * Unix epoch): at most two records for each hour.
   */
  since(accountId: string, first: number, last?: number): Awaitable<UsageRecord[]>;
  /** Deletes usage before this hour (hours since the Unix epoch). */
  prune(hour: number): Promise<void>;
}
