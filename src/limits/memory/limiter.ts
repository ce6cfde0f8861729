import { admit, type KeyStrikes } from '../../core/admission.ts';
import type { BanRecord } from '../../core/ban-records.ts';
import { newBanRecord } from '../../core/ban-records.ts';
import { areStrikesExpired, type Ban, type BanPolicy } from '../../core/bans.ts';
import type { Environment } from '../../core/environments.ts';
import type { Limiter, QuotaCaller } from '../../core/limiter.ts';
import type { SavedQuota } from '../../core/quota.ts';
import { addQuotas, isQuotaExpired, type QuotaState, unusedQuota } from '../../core/quota.ts';
import type { RateLimitResult } from '../../core/rate-limit.ts';
import { type Awaitable, attempt, then } from '../../lib/awaitable.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Instant } from '../../lib/clock.ts';
import { AccountSlots } from './account-slots.ts';
import type { KeptQuotas } from './kept-quotas.ts';
import { QuotaTable } from './quota-table.ts';

/** Addresses counted at once. Past it the oldest starts anew: an address is not an account. */
export const ADDRESS_CAPACITY = 100_000;

/** Callers whose saved quotas may be out of date at once, accounts aside. */
const UNSAVED_CAPACITY = 2 * ADDRESS_CAPACITY;

export interface MemoryLimiterOptions {
  readonly environment: Environment;
  readonly policy: BanPolicy;
  /** What callers have used already; nothing where it is left out. */
  readonly kept?: KeptQuotas;
  /** Hears of every ban that begins; must not wait. */
  readonly onBan: (ban: BanRecord) => void;
}

/** How the saved quotas differ from those in memory. */
export interface UnsavedQuotas {
  readonly changed: readonly SavedQuota[];
  /** Callers that are counted no more. */
  readonly dropped: readonly string[];
}

/**
 * Decides in this process's memory: exact, because nothing else runs between look and count. What is
 * kept of a caller is looked up when it first comes. Where that cannot be read just now the caller is
 * counted from nothing, nothing is saved of it, and what is kept is added later.
 */
export class MemoryLimiter implements Limiter {
  readonly #options: MemoryLimiterOptions;
  readonly #accounts = new QuotaTable(new AccountSlots());
  readonly #addresses = new QuotaTable(new BoundedMap(ADDRESS_CAPACITY));
  /** Of the keys that were refused lately, by id. */
  readonly #strikes = new Map<string, KeyStrikes>();
  /** The record of each key's latest ban, by key. */
  readonly #banIds = new Map<string, string>();
  readonly #unsaved = new Set<string>();
  /** Callers in memory of whom it is not known what is kept. */
  readonly #unread = new Set<string>();

  constructor(options: MemoryLimiterOptions) {
    this.#options = options;
  }

  get environment(): Environment {
    return this.#options.environment;
  }

  take(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult> {
    const quotas = this.#quotasOf(caller.id);
    const slot = quotas.slotOf(caller.id);
    if (slot === undefined) return then(this.#meet(caller.id), () => this.take(caller, now));
    const quota = quotas.read(slot);
    const strikes = this.#strikesOf(caller);
    const result = admit(quota, strikes, caller.limits, this.#options.policy, now, 1);
    if (result.outcome === 'admitted') {
      quotas.write(slot, quota);
      this.#unsaved.add(caller.id);
    }
    if (caller.key && strikes && result.outcome === 'limited') {
      this.#strikes.set(caller.key.id, strikes);
    }
    if (caller.key && result.startedBan) this.#announce(caller.key, result.startedBan, now);
    return result;
  }

  peek(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult> {
    const used = this.#quotasOf(caller.id).get(caller.id);
    if (used === undefined) return then(this.#meet(caller.id), () => this.peek(caller, now));
    return admit(used, this.#strikesOf(caller), caller.limits, this.#options.policy, now, 0);
  }

  /** Ends a ban that an operator lifted; the key's record is clean again. */
  lift({ id, keyId }: BanRecord): void {
    if (this.#banIds.get(keyId) !== id) return;
    this.#banIds.delete(keyId);
    this.#strikes.delete(keyId);
  }

  /** Puts bans on record into force. */
  restore(bans: Iterable<BanRecord>, now: Instant): void {
    for (const ban of bans) {
      const length = ban.endsAt - ban.startsAt;
      const endsAt = now.elapsed + Math.min(length, ban.endsAt - now.wall);
      this.#strikes.set(ban.keyId, {
        strikes: {
          graceEndsAt: 0,
          windowEndsAt: 0,
          refusals: 0,
          ban: { startsAt: endsAt - length, endsAt, level: ban.level },
        },
      });
      this.#banIds.set(ban.keyId, ban.id);
    }
  }

  /** What changed and was not taken yet, of so many callers at the most. */
  takeUnsaved(now: Instant, most = Number.POSITIVE_INFINITY): UnsavedQuotas {
    const changed: SavedQuota[] = [];
    const dropped: string[] = [];
    for (const caller of this.#unsaved) {
      if (changed.length + dropped.length === most) break;
      const state = this.#quotasOf(caller).get(caller);
      if (state && this.#unread.has(caller)) continue;
      this.#unsaved.delete(caller);
      if (state) {
        const minuteEndsAt = Math.ceil(state.minuteEndsAt - now.elapsed + now.wall);
        changed.push({ ...state, caller, minuteEndsAt });
      } else dropped.push(caller);
    }
    return { changed, dropped };
  }

  /** Takes back what could not be saved. */
  returnUnsaved({ changed, dropped }: UnsavedQuotas): void {
    for (const { caller } of changed) this.#unsaved.add(caller);
    for (const caller of dropped) this.#noteDropped(caller);
  }

  /** Adds what is kept of callers where it could not be read before. May raise `StorageUnavailable`. */
  async readUnread(now: Instant): Promise<void> {
    for (const caller of this.#unread) {
      const kept = await this.#options.kept?.find(caller);
      // Not, when it was forgotten meanwhile, and has come anew.
      if (!this.#unread.delete(caller)) continue;
      const counted = this.#quotasOf(caller).get(caller);
      if (kept && counted) this.#put(caller, addQuotas(kept, counted, now));
    }
  }

  /** Drops expired quotas and strikes. */
  pruneExpired(now: Instant): void {
    for (const quotas of [this.#accounts, this.#addresses]) {
      quotas.deleteWhere((state) => isQuotaExpired(state, now));
    }
    for (const [keyId, { strikes }] of this.#strikes) {
      if (strikes && !areStrikesExpired(strikes, now)) continue;
      this.#strikes.delete(keyId);
      this.#banIds.delete(keyId);
    }
  }

  /** Remembers what is kept of a caller. */
  #meet(caller: string): Awaitable<void> {
    const found = attempt<QuotaState | 'unread' | undefined>(
      () => this.#options.kept?.find(caller),
      () => 'unread',
    );
    return then(found, (kept = unusedQuota()) => {
      // Whoever shared the look-up may have been counted by now.
      if (this.#quotasOf(caller).slotOf(caller) !== undefined) return;
      if (kept === 'unread') this.#unread.add(caller);
      else this.#unread.delete(caller);
      this.#put(caller, kept === 'unread' ? unusedQuota() : kept);
    });
  }

  #strikesOf({ key }: QuotaCaller): KeyStrikes | undefined {
    return key && (this.#strikes.get(key.id) ?? { strikes: undefined });
  }

  #put(caller: string, quota: QuotaState): void {
    const forgotten = this.#quotasOf(caller).set(caller, quota);
    if (forgotten !== undefined) this.#noteDropped(forgotten);
  }

  /** While nothing can be saved, nothing is: what is noted then would only take room. */
  #noteDropped(caller: string): void {
    this.#unread.delete(caller);
    if (this.#unsaved.size < UNSAVED_CAPACITY) this.#unsaved.add(caller);
    else this.#unsaved.delete(caller);
  }

  #announce(key: NonNullable<QuotaCaller['key']>, ban: Ban, now: Instant): void {
    const { environment, policy } = this.#options;
    const record = newBanRecord(key, environment, policy, {
      level: ban.level,
      startsAt: Math.floor(now.wall),
      endsAt: Math.ceil(now.wall + ban.endsAt - now.elapsed),
    });
    this.#banIds.set(key.id, record.id);
    this.#options.onBan(record);
  }

  #quotasOf(caller: string): QuotaTable {
    return caller.startsWith('account:') ? this.#accounts : this.#addresses;
  }
}
