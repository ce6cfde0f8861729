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
