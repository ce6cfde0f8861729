import type { Awaitable } from '../../lib/awaitable.ts';
import type { Actor } from '../accounts/audit.ts';
import type { Environment } from '../environments.ts';
import { derivedId } from '../ids.ts';
import type { ApiKey } from '../keys/api-keys.ts';
import type { BanPolicy } from './bans.ts';

/** A stored ban. All times are epoch ms on the service's clock. */
export interface BanRecord {
  readonly id: string;
  /** The key whose refusals led to it. */
  readonly keyId: string;
  /** The rotation chain that it applies to, as in `ApiKey`. */
  readonly chainId: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly reason: string;
  readonly level: number;
  readonly startsAt: number;
  readonly endsAt: number;
  /**
   * How far the account's clock was ahead when the ban began, in ms; 0 when omitted. The ban ends when the
   * account's clock shows `endsAt` plus this offset.
   */
  readonly clockOffset?: number | undefined;
  readonly liftedAt: number | undefined;
  /** Who lifted it. */
  readonly liftedBy: string | undefined;
}

/**
 * The record of a ban. The same ban always gets the same id, so that processes that record it twice store it once.
 * @param ban times are epoch ms.
 */
export function newBanRecord(
  key: Pick<ApiKey, 'id' | 'accountId' | 'chainId'>,
  environment: Environment,
  { after }: BanPolicy,
  ban: Pick<BanRecord, 'level' | 'startsAt' | 'endsAt' | 'clockOffset'>,
): BanRecord {
  return {
    id: derivedId('ban', ban.startsAt, key.chainId),
    keyId: key.id,
    chainId: key.chainId,
    accountId: key.accountId,
    environment,
    reason: `Sent ${after} more ${after === 1 ? 'request' : 'requests'} after a 429, in the same window.`,
    ...ban,
    liftedAt: undefined,
    liftedBy: undefined,
  };
}

/** Stored bans. Every call may raise `StorageUnavailable`. */
export interface BanStore {
  /** Adds a ban that this process has started: `active` and `ofAccount` include it before it is stored. */
  begin(ban: BanRecord): void;
  record(ban: BanRecord): Promise<void>;
  /** The bans with these ids, as stored, in no particular order; unknown ids are omitted. */
  findAll(ids: readonly string[]): Awaitable<BanRecord[]>;
  /** Bans active at `now` (epoch ms), oldest first. Ends account for clocks that were moved forward. */
  active(now: number): Awaitable<BanRecord[]>;
  /** For each key chain the latest ban that ends after `since` (epoch ms), unless that ban was lifted. */
  latest(since: number): Awaitable<BanRecord[]>;
  /** Lifted bans that would otherwise be active at `now` (epoch ms). */
  lifted(now: number): Awaitable<BanRecord[]>;
  /** Lifts a ban. `false` when there is no such active ban. */
  lift(id: string, by: Actor, now: number): Promise<boolean>;
  /**
   * An account's bans that end after `since` (epoch ms), latest first, at most `most`. Ends account for a
   * clock of the account that was moved forward.
   */
  ofAccount(accountId: string, since: number, most: number): Awaitable<BanRecord[]>;
}
