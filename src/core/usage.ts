import type { Awaitable } from '../lib/awaitable.ts';
import { HOUR } from '../lib/clock.ts';
import type { Environment } from './environments.ts';

/** What became of a request, as usage tells it. */
export const OUTCOMES = ['succeeded', 'clientErrors', 'limited', 'serverErrors'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How many requests had which outcome. */
export type UsageCounts = Readonly<Record<Outcome, number>>;

/** The requests of one account in one environment and one hour. */
export interface UsageRecord extends UsageCounts {
  readonly accountId: string;
  readonly environment: Environment;
  /** Whole hours since the Unix epoch, UTC. */
  readonly hour: number;
}

export const NO_USAGE: UsageCounts = { succeeded: 0, clientErrors: 0, limited: 0, serverErrors: 0 };

/** @param status of the reply. */
export function outcomeOf(status: number): Outcome {
  if (status < 400) return 'succeeded';
  if (status === 429) return 'limited';
  return status < 500 ? 'clientErrors' : 'serverErrors';
}

/** The hour that a moment (epoch ms) lies in. */
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

/** Tells one batch from all others; those of one source come one after the other. */
export interface BatchMark {
  readonly source: string;
  /** Higher than that of the source's batch before. */
  readonly number: number;
}

/** Requests counted by hour. Every call may raise `StorageUnavailable`. */
export interface UsageStore {
  /**
   * Adds to what is counted already; all of it, or nothing when it fails. Where the answer may be lost
   * although it was done, a batch with a mark may be sent again as it was: it is added once.
   */
  add(records: readonly UsageRecord[], mark?: BatchMark): Promise<void>;
  /** An account's hours from this one on (hours since the Unix epoch), in both environments. */
  since(accountId: string, hour: number): Awaitable<UsageRecord[]>;
  /** Drops the hours before this one. */
  forget(hour: number): Promise<void>;
}
