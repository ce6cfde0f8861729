import type { ApiKeyStore, KeyRecord, MovedKey } from './api-keys.ts';

/** The number of keys that are moved in one transaction. */
const MOVED_AT_ONCE = 100;

/** Keys that were used while the stored digest was made with a previous secret; they move to the current one. */
export class MovedKeys {
  readonly #store: Pick<ApiKeyStore, 'move'>;
  readonly #waiting = new Map<string, MovedKey>();

  constructor(store: Pick<ApiKeyStore, 'move'>) {
    this.#store = store;
  }

  /** @param digest made with the current secret, each byte as one character. */
  add({ id, formerDigest }: KeyRecord, digest: string): void {
    if (!formerDigest) return;
    const to = Buffer.from(digest, 'latin1').toHex();
    this.#waiting.set(id, { id, from: formerDigest.toHex(), to });
  }

  /**
   * Moves the keys that were used since the last call, unless the store has had a later secret than the one with this
   * fingerprint. May raise `StorageUnavailable`; the next call moves the rest then.
   */
  async save(fingerprint: string): Promise<void> {
    while (this.#waiting.size > 0) {
      const keys = [...this.#waiting.values().take(MOVED_AT_ONCE)];
      await this.#store.move(keys, fingerprint);
      for (const { id } of keys) this.#waiting.delete(id);
    }
  }
}
