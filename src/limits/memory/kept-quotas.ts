import type { QuotaState, QuotaStore, SavedQuota } from '../../core/quota.ts';
import { type Awaitable, then } from '../../lib/awaitable.ts';
import { type Instant, MINUTE } from '../../lib/clock.ts';

/**
 * What is kept of a caller, looked up when the caller first asks, so that a start takes no longer for
 * a million of them. May raise `StorageUnavailable`.
 */
export class KeptQuotas {
  readonly #journal: Pick<QuotaStore, 'find'>;
  readonly #startedAt: Instant;
  /** Look-ups under way, which whoever asks meanwhile shares. */
  readonly #lookUps = new Map<string, Promise<QuotaState | undefined>>();

  /**
   * @param startedAt when this process began to count. What the last one kept is read as of then: a
   * clock that is set later must neither end a minute early nor draw it out.
   */
  constructor(journal: Pick<QuotaStore, 'find'>, startedAt: Instant) {
    this.#journal = journal;
    this.#startedAt = startedAt;
  }

  find(caller: string): Awaitable<QuotaState | undefined> {
    const underWay = this.#lookUps.get(caller);
    if (underWay !== undefined) return underWay;
    const found = then(this.#journal.find(caller), (saved) => saved && this.#read(saved));
    if (!(found instanceof Promise)) return found;
    const shared = found.finally(() => this.#lookUps.delete(caller));
    this.#lookUps.set(caller, shared);
    return shared;
  }

  #read({ minuteEndsAt, minuteUsed, day, dayUsed }: SavedQuota): QuotaState {
    const { wall, elapsed } = this.#startedAt;
    // A clock that was set back between the two processes must not make a minute longer than a minute.
    const minuteLeft = Math.min(MINUTE, minuteEndsAt - wall);
    return { minuteEndsAt: elapsed + minuteLeft, minuteUsed, day, dayUsed };
  }
}
