import type { QuotaState, QuotaStore, SavedQuota } from '../../core/quota.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { type Instant, later, MINUTE } from '../../lib/clock.ts';

/**
 * Quotas as earlier processes saved them. Each is looked up when its caller first sends a request, so
 * that a start does not depend on their number. May raise `StorageUnavailable`.
 */
export class SavedQuotas {
  readonly #store: Pick<QuotaStore, 'find'>;
  readonly #startedAt: Instant;
  /** Look-ups in progress, by caller; requests that arrive meanwhile share them. */
  readonly #lookUps = new Map<string, Promise<SavedQuota | undefined>>();

  /**
   * @param startedAt when this process started its limiter. Saved times are read as of that moment: a
   * clock that is set later must neither shorten nor prolong a minute.
   */
  constructor(store: Pick<QuotaStore, 'find'>, startedAt: Instant) {
    this.#store = store;
    this.#startedAt = startedAt;
  }

  /**
   * A new copy for each call; `undefined` when nothing was saved.
   * @param clockOffset as in `QuotaCaller`.
   */
  find(caller: string, clockOffset = 0): Awaitable<QuotaState | undefined> {
    const found = this.#lookUps.get(caller) ?? this.#store.find(caller);
    if (!(found instanceof Promise)) return found && this.#read(found, clockOffset);
    if (!this.#lookUps.has(caller)) this.#share(caller, found);
    return found.then((saved) => saved && this.#read(saved, clockOffset));
  }

  #share(caller: string, found: Promise<SavedQuota | undefined>): void {
    this.#lookUps.set(caller, found);
    const forget = () => this.#lookUps.delete(caller);
    found.then(forget, forget);
  }

  #read(saved: SavedQuota, clockOffset: number): QuotaState {
    return quotaFrom(saved, later(this.#startedAt, clockOffset));
  }
}

/** A saved quota on the elapsed scale of this process. */
export function quotaFrom(
  { minuteEndsAt, minuteUsed, day, dayUsed }: SavedQuota,
  { wall, elapsed }: Instant,
): QuotaState {
  // A clock that was set back since must not make a minute longer than a minute.
  const minuteLeft = Math.min(MINUTE, minuteEndsAt - wall);
  return { minuteEndsAt: elapsed + minuteLeft, minuteUsed, day, dayUsed };
}
