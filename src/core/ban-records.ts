import type { Awaitable } from '../lib/awaitable.ts';
import type { ApiKey } from './api-keys.ts';
import type { Actor } from './audit.ts';
import type { BanPolicy } from './bans.ts';
import type { Environment } from './environments.ts';
import { newId } from './ids.ts';

/** A stored ban. All times are epoch ms, by the service's clock. */
export interface BanRecord {
  readonly id: string;
  /** The key whose refusals led to it. */
  readonly keyId: string;
  /** The chain of rotations that it applies to, as in `ApiKey`. */
  readonly chainId: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly reason: string;
  readonly level: number;
  readonly startsAt: number;
  readonly endsAt: number;
  /**
   * How far the account's clock was ahead when the ban began, in ms; 0 unless given. The ban ends when
   * that clock shows `endsAt` and this.
   */
  readonly clockOffset?: number | undefined;
  readonly liftedAt: number | undefined;
  /** Who lifted it. */
  readonly liftedBy: string | undefined;
}

/** The record of a ban that begins. @param ban times are epoch ms. */
export function newBanRecord(
  key: Pick<ApiKey, 'id' | 'accountId' | 'chainId'>,
  environment: Environment,
  { after }: BanPolicy,
  ban: Pick<BanRecord, 'level' | 'startsAt' | 'endsAt' | 'clockOffset'>,
): BanRecord {
  return {
    id: newId('ban', ban.startsAt),
    keyId: key.id,
    chainId: key.chainId,
    accountId: key.accountId,
    environment,
    reason: `Went on after 429, ${times(after)} in the same window.`,
    ...ban,
    liftedAt: undefined,
    liftedBy: undefined,
  };
}

function times(count: number): string {
  return count === 1 ? 'once more' : `${count} more times`;
}

/** Stored bans. Every call may raise `StorageUnavailable`. */
export interface BanStore {
  /** Notes a ban that has begun in this process: `active` and `ofAccount` have it before it is on record. */
  begin(ban: BanRecord): void;
  record(ban: BanRecord): Promise<void>;
  /** These bans, in no order; unknown ids are left out. Ends are those that were recorded. */
  findAll(ids: readonly string[]): Awaitable<BanRecord[]>;
  /** Bans in force at `now` (epoch ms), oldest first. An end that a clock brought nearer is the nearer one. */
  active(now: number): Awaitable<BanRecord[]>;
  /** The latest ban of each chain of keys that ends after `since` (epoch ms) and was not lifted. */
  latest(since: number): Awaitable<BanRecord[]>;
  /** Lifted bans that would still be in force at `now` (epoch ms). */
  lifted(now: number): Awaitable<BanRecord[]>;
  /** Lifts a ban. `false` when there is no such ban in force. */
  lift(id: string, by: Actor, now: number): Promise<boolean>;
  /**
   * An account's bans that end after `since` (epoch ms), the latest first, at most `most`. An end that
   * the account's clock brought nearer is the nearer one.
   */
  ofAccount(accountId: string, since: number, most: number): Awaitable<BanRecord[]>;
}
