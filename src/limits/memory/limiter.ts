import type { Environment } from '../../core/environments.ts';
import type { AdjustableLimiter, LimitedAccount } from '../../core/limits/adjustable-limiter.ts';
import { admit, type KeyStrikes } from '../../core/limits/admission.ts';
import { type BanRecord, newBanRecord } from '../../core/limits/ban-records.ts';
import { areStrikesExpired, type Ban, type BanPolicy } from '../../core/limits/bans.ts';
import type { CallerWindows, QuotaCaller } from '../../core/limits/limiter.ts';
import {
  addQuotas,
  type QuotaState,
  setUsed,
  type UsedRequests,
  unusedQuota,
} from '../../core/limits/quota.ts';
import type { RateLimitResult } from '../../core/limits/rate-limit.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { type Instant, later } from '../../lib/clock.ts';
import type { SavedQuotas } from './saved-quotas.ts';
import { UnsavedQuotas } from './unsaved-quotas.ts';
import { type WindowsOwner, WindowsTable } from './windows-table.ts';

interface MemoryLimiterOptions {
  readonly environment: Environment;
  readonly policy: BanPolicy;
  /** The quotas saved by earlier processes. */
  readonly saved?: SavedQuotas;
  /** Called with every ban that starts; must not wait. */
  readonly onBan: (ban: BanRecord) => void;
  /** Waits until every ban that has started is stored. */
  readonly recordBans?: () => Promise<void>;
}

/** The strikes of a key chain, with its account. */
interface OwnedStrikes extends KeyStrikes {
  readonly accountId: string;
}

/** The fields of a caller that are needed to find its saved quota. */
type SavedCaller = WindowsOwner & Pick<QuotaCaller, 'clockOffset'>;

/**
 * A limiter in the memory of this process: exact, because no other code runs between checking and counting.
 * The saved quota of a caller is read at its first request. While it cannot be read, the caller starts with
 * an unused quota that is not saved; the saved quota is added later.
 */
export class MemoryLimiter implements AdjustableLimiter {
  readonly #options: MemoryLimiterOptions;
  readonly #table = new WindowsTable((windows, isExpired) => this.#onDrop(windows, isExpired));
  /** The strikes of recently refused keys, by rotation chain. */
  readonly #strikes = new Map<string, OwnedStrikes>();
  /** The record id of the latest ban, by rotation chain. */
  readonly #banIds = new Map<string, string>();
  /** What a background job must save. */
  readonly unsaved = new UnsavedQuotas(this.#table);
  /** Look-ups of saved quotas in progress, by caller; concurrent requests share them. */
  readonly #loading = new Map<string, Promise<QuotaState | undefined>>();
  /** Windows whose saved quota could not be read yet, with their clock offsets in ms. */
  readonly #unread = new Map<CallerWindows, number>();

  constructor(options: MemoryLimiterOptions) {
    this.#options = options;
  }

  get environment(): Environment {
    return this.#options.environment;
  }

  take(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult> {
    const windows = this.#table.find(caller) ?? this.#load(caller);
    if (windows instanceof Promise) return windows.then((each) => this.#take(each, caller, now));
    return this.#take(windows, caller, now);
  }

  peek(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult> {
    const windows = this.#table.find(caller) ?? this.#load(caller);
    if (windows instanceof Promise) return windows.then((each) => this.#peek(each, caller, now));
    return this.#peek(windows, caller, now);
  }

  /** Ends a ban that an operator lifted, and clears the strikes of its keys. */
  lift({ id, chainId }: BanRecord): void {
    if (this.#banIds.get(chainId) !== id) return;
    this.#banIds.delete(chainId);
    this.#strikes.delete(chainId);
  }

  restore(bans: Iterable<BanRecord>, now: Instant): void {
    for (const ban of bans) {
      const { accountId, chainId, level, clockOffset = 0 } = ban;
      const length = ban.endsAt - ban.startsAt;
      const endsAt = now.elapsed + clockOffset + Math.min(length, ban.endsAt - now.wall);
      const restored = { startsAt: endsAt - length, endsAt, level };
      const latest = this.#strikes.get(chainId)?.strikes?.ban;
      if (latest && latest.startsAt > restored.startsAt) continue;
      const strikes = { graceEndsAt: 0, windowEndsAt: 0, refusals: 0, ban: restored };
      this.#strikes.set(chainId, { accountId, strikes });
      this.#banIds.set(chainId, ban.id);
    }
  }

  async setUsed(account: LimitedAccount, used: UsedRequests, now: Instant): Promise<void> {
    const windows = await this.#windowsOf(account);
    const unread = this.#unread.get(windows);
    // Otherwise the saved quota would be added to the new numbers later.
    if (unread !== undefined) await this.#addSaved(windows, unread, later(now, -unread));
    setUsed(windows.quota, used, now);
    this.#markDirty(windows);
  }

  forgive(_account: LimitedAccount, chainId: string): void {
    this.#banIds.delete(chainId);
    this.#strikes.delete(chainId);
  }

  async forget(account: LimitedAccount): Promise<void> {
    for (const [chainId, { accountId }] of this.#strikes) {
      if (accountId !== account.id) continue;
      this.#strikes.delete(chainId);
      this.#banIds.delete(chainId);
    }
    const windows = await this.#windowsOf(account);
    Object.assign(windows.quota, unusedQuota());
    this.#unread.delete(windows);
    this.#markDirty(windows);
  }

  async recordBans(): Promise<void> {
    await this.#options.recordBans?.();
  }

  /** Drops all windows, strikes and bans; the next save deletes their saved quotas. */
  reset(): void {
    this.#strikes.clear();
    this.#banIds.clear();
    this.#table.clear();
    this.#loading.clear();
  }

  /** Adds the saved quotas that could not be read before. May raise `StorageUnavailable`. */
  async readUnread(now: Instant): Promise<void> {
    for (const [windows, clockOffset] of this.#unread) {
      await this.#addSaved(windows, clockOffset, now);
    }
  }

  /** Drops expired quotas and strikes. */
  pruneExpired(now: Instant): void {
    this.#table.pruneExpired(now);
    for (const [chainId, { strikes }] of this.#strikes) {
      if (strikes && !areStrikesExpired(strikes, now)) continue;
      this.#strikes.delete(chainId);
      this.#banIds.delete(chainId);
    }
  }

  #windowsOf({ id, clockOffset }: LimitedAccount): Awaitable<CallerWindows> {
    const caller: SavedCaller = { id: `account:${id}`, clockOffset };
    return this.#table.find(caller) ?? this.#load(caller);
  }

  #take(windows: CallerWindows, caller: QuotaCaller, now: Instant): RateLimitResult {
    const { limits, key } = caller;
    const strikes = key && (this.#strikes.get(key.chainId) ?? noStrikes(key));
    const result = admit(windows.quota, strikes, limits, this.#options.policy, now, 1);
    if (result.outcome === 'admitted') this.#markDirty(windows);
    else if (key && strikes) {
      if (result.outcome === 'limited') this.#strikes.set(key.chainId, strikes);
      if (result.startedBan) this.#announce(key, result.startedBan, now, caller.clockOffset);
    }
    return result;
  }

  #peek({ quota }: CallerWindows, { limits, key }: QuotaCaller, now: Instant): RateLimitResult {
    const strikes = key && this.#strikes.get(key.chainId);
    return admit(quota, strikes, limits, this.#options.policy, now, 0);
  }

  async #addSaved(windows: CallerWindows, clockOffset: number, now: Instant): Promise<void> {
    const saved = await this.#options.saved?.find(windows.caller, clockOffset);
    // The windows may have been dropped in the meantime.
    if (!this.#unread.delete(windows)) return;
    this.#markDirty(windows);
    if (!saved) return;
    Object.assign(windows.quota, addQuotas(saved, windows.quota, later(now, clockOffset)));
  }

  /** Adds a caller to the table with its saved quota. */
  #load(caller: SavedCaller): Awaitable<CallerWindows> {
    if (this.unsaved.isDropped(caller.id)) return this.#add(caller, undefined);
    try {
      const saved =
        this.#loading.get(caller.id) ?? this.#options.saved?.find(caller.id, caller.clockOffset);
      if (!(saved instanceof Promise)) return this.#add(caller, saved);
      this.#loading.set(caller.id, saved);
      return this.#addLoaded(caller, saved);
    } catch {
      return this.#addUnread(caller);
    }
  }

  async #addLoaded(
    caller: SavedCaller,
    loading: Promise<QuotaState | undefined>,
  ): Promise<CallerWindows> {
    const [found] = await Promise.allSettled([loading]);
    // Another request has added the caller, or the quota was read before a reset, after which it does not count.
    if (this.#loading.get(caller.id) !== loading) return this.#add(caller, undefined);
    this.#loading.delete(caller.id);
    return found.status === 'fulfilled' ? this.#add(caller, found.value) : this.#addUnread(caller);
  }

  #add(caller: WindowsOwner, saved: QuotaState | undefined): CallerWindows {
    // Another request of the same caller may have added it in the meantime.
    const known = this.#table.find(caller);
    if (known) return known;
    const windows = this.#table.add(caller, saved ?? unusedQuota());
    this.unsaved.addAgain(windows);
    return windows;
  }

  #addUnread(caller: SavedCaller): CallerWindows {
    const known = this.#table.find(caller);
    if (known) return known;
    const windows = this.#add(caller, undefined);
    // What is saved must be added later, unless it does not count any more.
    if (!windows.isDirty) this.#unread.set(windows, caller.clockOffset ?? 0);
    return windows;
  }

  #markDirty(windows: CallerWindows): void {
    if (windows.isDirty || this.#unread.has(windows)) return;
    this.unsaved.add(windows);
  }

  #onDrop(windows: CallerWindows, isExpired: boolean): void {
    this.#unread.delete(windows);
    this.unsaved.drop(windows, isExpired);
  }

  #announce(
    key: NonNullable<QuotaCaller['key']>,
    ban: Ban,
    { wall, elapsed }: Instant,
    clockOffset = 0,
  ): void {
    const { environment, policy } = this.#options;
    const startsAt = wall - clockOffset;
    const record = newBanRecord(key, environment, policy, {
      level: ban.level,
      startsAt: Math.floor(startsAt),
      endsAt: Math.ceil(startsAt + ban.endsAt - elapsed),
      ...(clockOffset > 0 && { clockOffset }),
    });
    this.#banIds.set(key.chainId, record.id);
    this.#options.onBan(record);
  }
}

function noStrikes({ accountId }: NonNullable<QuotaCaller['key']>): OwnedStrikes {
  return { accountId, strikes: undefined };
}
