import { LRUCache } from 'lru-cache';
import type { CallerWindows, QuotaCaller } from '../../core/limits/limiter.ts';
import { isQuotaExpired, type QuotaState } from '../../core/limits/quota.ts';
import type { Instant } from '../../lib/clock.ts';
import { lazyValue } from '../../lib/lazy.ts';

/** The maximum number of client addresses in memory; above it the oldest one is dropped. */
export const ADDRESS_CAPACITY = 100_000;

/** The fields of a caller that the table uses. */
export type WindowsOwner = Pick<QuotaCaller, 'id' | 'windows'>;

/** The windows of all callers of one environment: every account, and a bounded number of addresses. */
export class WindowsTable {
  readonly #accounts = new Map<string, CallerWindows>();
  /** Created for the first address: allocating this many entries takes milliseconds, which would delay the start. */
  readonly #addresses = lazyValue(
    () =>
      new LRUCache<string, CallerWindows>({
        max: ADDRESS_CAPACITY,
        dispose: (windows, _caller, reason) => {
          if (reason === 'evict') this.#drop(windows, false);
        },
      }),
  );
  readonly #onDrop: (windows: CallerWindows, isExpired: boolean) => void;

  /** @param onDrop called for all windows that are dropped, with whether they had expired. */
  constructor(onDrop: (windows: CallerWindows, isExpired: boolean) => void) {
    this.#onDrop = onDrop;
  }

  /** The windows of this caller, which then holds a reference to them. */
  find(caller: WindowsOwner): CallerWindows | undefined {
    if (caller.windows?.isDropped === false) return caller.windows;
    const windows = this.get(caller.id);
    if (windows) caller.windows = windows;
    return windows;
  }

  get(id: string): CallerWindows | undefined {
    return isAccount(id) ? this.#accounts.get(id) : this.#addresses().peek(id);
  }

  /** Adds a caller that is not in the table. */
  add(caller: WindowsOwner, quota: QuotaState): CallerWindows {
    const windows = { caller: caller.id, quota, isDirty: false, isDropped: false };
    if (isAccount(caller.id)) this.#accounts.set(caller.id, windows);
    else this.#addresses().set(caller.id, windows);
    caller.windows = windows;
    return windows;
  }

  /** Drops expired windows. */
  pruneExpired(now: Instant): void {
    for (const table of [this.#accounts, this.#addresses()]) {
      for (const windows of [...table.values()]) {
        if (!isQuotaExpired(windows.quota, now)) continue;
        table.delete(windows.caller);
        this.#drop(windows, true);
      }
    }
  }

  /** Drops all windows. */
  clear(): void {
    for (const table of [this.#accounts, this.#addresses()]) {
      for (const windows of table.values()) this.#drop(windows, false);
      table.clear();
    }
  }

  #drop(windows: CallerWindows, isExpired: boolean): void {
    windows.isDropped = true;
    this.#onDrop(windows, isExpired);
  }
}

function isAccount(caller: string): boolean {
  return caller.startsWith('account:');
}
