import type { Awaitable } from '../../lib/awaitable.ts';
import { DAY, HOUR } from '../../lib/clock.ts';
import type { Environment } from '../environments.ts';
import { addDurations, type DurationCounts } from './usage-durations.ts';

/** The outcomes of requests that are counted separately. */
export const OUTCOMES = ['succeeded', 'clientErrors', 'limited', 'serverErrors'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The number of requests by outcome. */
export type UsageCounts = Readonly<Record<Outcome, number>>;

/** The kinds of client errors; earlier releases counted client errors without their kind. */
const CLIENT_ERRORS = ['invalid', 'unauthorized', 'notFound', 'conflicts'] as const;
export type ClientError = (typeof CLIENT_ERRORS)[number];

/** All figures of a group of requests. */
export interface UsageFigures extends UsageCounts, Readonly<Record<ClientError, number>> {
  /** The durations of all requests. */
  readonly durations: DurationCounts;
}

/** The environment, key and operation of a group of requests. */
export interface UsageSubject {
  readonly environment: Environment;
  /** Empty for requests of earlier releases, which were not counted by key. */
  readonly keyId: string;
  /** An operation of the contract, or `none`; empty for requests of earlier releases. */
  readonly operation: string;
}

/** The requests of one key to one operation in one hour. */
export interface UsageRecord extends UsageSubject, UsageFigures {
  readonly accountId: string;
  /** Whole hours since the Unix epoch, UTC. */
  readonly hour: number;
}

/** An hour, or a UTC day with its hours added up. */
interface UsagePeriod {
  /** Its first hour, in whole hours since the Unix epoch, UTC. */
  readonly hour: number;
  /** Its length: 1 or 24. */
  readonly hours: number;
}

/** The requests of one account in one environment and period. */
export interface PeriodUsage extends UsagePeriod, UsageCounts {
  readonly environment: Environment;
}

/** The requests of one key to one operation in several periods together. */
export interface SubjectUsage extends UsageSubject, UsageFigures {}

/** The requests of one key to one operation in one period. */
export interface DetailedUsage extends UsagePeriod, SubjectUsage {}

/** The requests of all accounts to one operation. */
export interface OperationUsageTotal extends UsageCounts {
  readonly operation: string;
  readonly durations: DurationCounts;
}

/** The requests of all accounts in one hour. */
export interface HourUsageTotal extends UsageCounts {
  /** Whole hours since the Unix epoch, UTC. */
  readonly hour: number;
}

/** The requests of one account. */
export interface AccountUsageTotal extends UsageCounts {
  readonly accountId: string;
}

/** Selects requests of an account. Omitted fields match any request. */
export interface UsageSelection extends Partial<UsageSubject> {
  readonly accountId: string;
  /** Hours since the Unix epoch. Periods of a whole day are selected if they begin in the range. */
  readonly first: number;
  readonly last?: number | undefined;
}

/** One reply, for the usage counts. */
export interface RecordedReply {
  /** An operation of the contract, or `none`. */
  readonly operation: string;
  readonly status: number;
  /** ms */
  readonly took: number;
  /** When the request arrived, epoch ms. */
  readonly at: number;
}

/** The usage of a key in one hour, in memory. Updated in place. */
export interface KeyUsage {
  readonly accountId: string;
  readonly keyId: string;
  /** Whole hours since the Unix epoch, UTC. */
  readonly hour: number;
  /** The few operations that the key was used for. */
  readonly operations: OperationUsage[];
  /** Whether requests may be added: until its hour ends, or it is saved. */
  isOpen: boolean;
}

export interface OperationUsage {
  readonly operation: string;
  readonly counts: ReplyCounts;
  /** The number of requests in each duration bucket. */
  readonly durations: number[];
}

export const NO_USAGE: UsageCounts = { succeeded: 0, clientErrors: 0, limited: 0, serverErrors: 0 };

/** The number of replies by outcome, and of client errors by kind. Updated in place. */
type ReplyCounts = Record<Outcome | ClientError, number>;

export const NO_REPLIES: Readonly<ReplyCounts> = {
  ...NO_USAGE,
  ...{ invalid: 0, unauthorized: 0, notFound: 0, conflicts: 0 },
};

/** How long usage is kept by the hour, in ms; older hours are added up to days. */
const HOURS_STAY = 3 * DAY;

/** @param status of the reply. */
export function outcomeOf(status: number): Outcome {
  if (status < 400) return 'succeeded';
  if (status === 429) return 'limited';
  return status < 500 ? 'clientErrors' : 'serverErrors';
}

/** @param status of a reply whose outcome is a client error. */
export function clientErrorOf(status: number): ClientError {
  switch (status) {
    case 401:
    case 403:
      return 'unauthorized';
    case 404:
    case 405:
    case 410:
      return 'notFound';
    case 409:
      return 'conflicts';
    default:
      return 'invalid';
  }
}

/** The hour of a time (epoch ms), in hours since the Unix epoch. */
export function hourOf(moment: number): number {
  return Math.floor(moment / HOUR);
}

/** The first hour that is kept by the hour; those before it are added up to UTC days. @param now epoch ms. */
export function firstKeptHour(now: number): number {
  return hourOf(Math.floor((now - HOURS_STAY) / DAY) * DAY);
}

export function addCounts(a: UsageCounts, b: UsageCounts): UsageCounts {
  return {
    succeeded: a.succeeded + b.succeeded,
    clientErrors: a.clientErrors + b.clientErrors,
    limited: a.limited + b.limited,
    serverErrors: a.serverErrors + b.serverErrors,
  };
}

/** Adds up all figures of two groups of requests. */
export function addFigures(a: UsageFigures, b: UsageFigures): UsageFigures {
  const counts = { ...NO_REPLIES };
  for (const name of [...OUTCOMES, ...CLIENT_ERRORS]) counts[name] = a[name] + b[name];
  return { ...counts, durations: addDurations(a.durations, b.durations) };
}

export function requestsOf(counts: UsageCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

/** Identifies a batch of usage records, so that it is added only once. */
export interface BatchMark {
  readonly source: string;
  /** Greater than the number of the source's previous batch. */
  readonly number: number;
}

/** Request counts by hour, or by day for older requests. Every call may raise `StorageUnavailable`. */
export interface UsageStore {
  /**
   * Adds the records to the stored counts: all of them, or none when it fails. If it is unknown whether a batch
   * with a mark was added, it may be sent again unchanged: it is added only once.
   */
  add(records: readonly UsageRecord[], mark?: BatchMark): Promise<void>;
  /** Sorted by period and environment. */
  byPeriod(selection: UsageSelection): Awaitable<PeriodUsage[]>;
  /** Sorted by environment, key and operation. */
  bySubject(selection: UsageSelection): Awaitable<SubjectUsage[]>;
  /** Sorted by period, environment, key and operation. @param most the maximum number of rows. */
  detailed(selection: UsageSelection, most: number): Awaitable<DetailedUsage[]>;
  /** Totals of all accounts since this hour (hours since the Unix epoch), which must still be kept by the hour. */
  totals(first: number): Awaitable<OperationUsageTotal[]>;
  /** Like `totals`, by hour, the earliest first; hours without requests are left out. */
  hourly(first: number): Awaitable<HourUsageTotal[]>;
  /**
   * Like `totals`, of the accounts with the most requests, those with the most first.
   * @param most the maximum number of accounts.
   * @param outcome of the requests that are compared; by default any.
   */
  busiest(first: number, most: number, outcome?: Outcome): Awaitable<AccountUsageTotal[]>;
  /** Adds up the hours before this one (hours since the Unix epoch, the first of a UTC day) to days. */
  addUpDays(before: number): Promise<void>;
  /** Deletes the periods that end before this hour (hours since the Unix epoch). */
  prune(hour: number): Promise<void>;
}
