import type { PetChanges } from '../../core/pets/pet-changes.ts';
import { MOST_CHANGES, type PetFeed, petChangeFrom } from '../pets/pet-feed.ts';
import { select } from '../schema/selection.ts';
import type { SqliteFile } from './file.ts';

/** How many changes stay in the feed: so many that a process for which pruned ones are missing finds too many others. */
const KEPT = 10 * MOST_CHANGES;

/** How many changes are deleted in one transaction, and the fewest for which one is made. */
const DELETED_AT_ONCE = 10_000;

const SINCE = select(
  'pet_changes',
  ['number', 'pet_id', 'old_status', 'new_status'],
  'WHERE number > ? ORDER BY number LIMIT ?',
);
const FIRST = select('pet_changes', ['number'], 'ORDER BY number LIMIT 1');
const LAST = select('pet_changes', ['number'], 'ORDER BY number DESC LIMIT 1');

/**
 * The feed in a file. The write lock makes the numbers ascend in the order of the commits, without gaps. The latest
 * change is never deleted, so that no number is given twice.
 */
export class SqlitePetFeed implements PetFeed {
  readonly #file: SqliteFile;
  /** The number of the last change that was read; 0 if there was none, `undefined` before the first call. */
  #seen: number | undefined;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  read(): PetChanges {
    const seen = this.#seen;
    const rows = seen === undefined ? [] : this.#file.all(SINCE, seen, MOST_CHANGES + 1);
    if (seen === undefined || rows.length > MOST_CHANGES) {
      this.#seen = this.#numberOf(LAST);
      return 'everything';
    }
    this.#seen = rows.at(-1)?.number ?? seen;
    return rows.map(petChangeFrom);
  }

  async prune(): Promise<void> {
    const end = this.#numberOf(LAST) - KEPT;
    for (let first = this.#numberOf(FIRST); first + DELETED_AT_ONCE <= end; ) {
      first += DELETED_AT_ONCE;
      await this.#file.run('DELETE FROM pet_changes WHERE number < ?', first);
    }
  }

  #numberOf(selection: typeof FIRST): number {
    return this.#file.get(selection)?.number ?? 0;
  }
}
