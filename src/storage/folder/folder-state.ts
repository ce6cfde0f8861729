import type { DataFolder } from '../data-folder.ts';
import { FolderWatch } from './folder-watch.ts';

/** What is wrong with the data folder of a running service; background jobs look. */
export class FolderState {
  readonly #watch: FolderWatch;
  readonly #refuseWrites: (reason: string | undefined) => void;
  /** The folder or a database in it is gone, in a sentence for operators. */
  lost: string | undefined;

  /** @param refuseWrites refuses all changes with this reason, or accepts them again. */
  constructor({ path }: DataFolder, refuseWrites: (reason: string | undefined) => void) {
    this.#watch = new FolderWatch(path);
    this.#refuseWrites = refuseWrites;
  }

  /** Called for each database that was opened. */
  opened(path: string): void {
    this.#watch.add(path);
  }

  /** Looks whether the folder and the databases are still at their paths. */
  async look(): Promise<void> {
    this.lost = await this.#watch.problem();
    this.#refuseWrites(this.lost);
  }
}
