import type { PetChanges, PetChangesListener } from '../../core/pets/pet-changes.ts';
import { SharedRuns } from '../../lib/shared-runs.ts';
import type { PetFeed } from './pet-feed.ts';

/** Reads the feed of changes of an environment's pets for the caches of this process. */
export class PetFeedReader {
  readonly #feed: PetFeed;
  readonly #listeners: PetChangesListener[] = [];
  readonly #reads = new SharedRuns(() => this.#read());

  constructor(feed: PetFeed) {
    this.#feed = feed;
  }

  follow(listener: PetChangesListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Passes on all changes that were committed before this call.
   * @throws StorageUnavailable when they cannot be read; they are then passed on as `everything`.
   */
  apply(): Promise<void> {
    return this.#reads.run();
  }

  passOn(changes: PetChanges): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener(changes);
  }

  async #read(): Promise<void> {
    try {
      this.passOn(await this.#feed.read());
    } catch (error) {
      this.passOn('everything');
      throw error;
    }
  }
}
