import type { ApiKeyStore, KeyRecord } from '../core/keys/api-keys.ts';
import { chunks } from '../lib/chunks.ts';
import { MINUTE } from '../lib/clock.ts';

/** Records when keys were last used; each is written at most once a minute. */
export class LastUsed {
  readonly #store: Pick<ApiKeyStore, 'touch'>;
  readonly #pending = new Map<string, number>();

  constructor(store: Pick<ApiKeyStore, 'touch'>) {
    this.#store = store;
  }

  /** @param usedAt epoch ms */
  record(key: KeyRecord, usedAt: number): void {
    if (key.lastUsedAt !== undefined && usedAt - key.lastUsedAt < MINUTE) return;
    key.lastUsedAt = usedAt;
    this.#pending.set(key.id, usedAt);
  }

  /** Writes the recorded times that are not in the store yet. May raise `StorageUnavailable`. */
  async save(): Promise<void> {
    for (const uses of chunks([...this.#pending])) {
      await this.#store.touch(uses);
      for (const [id, usedAt] of uses) {
        if (this.#pending.get(id) === usedAt) this.#pending.delete(id);
      }
    }
  }
}
