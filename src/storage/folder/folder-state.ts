import type { DataFolder } from '../data-folder.ts';
import { FolderWatch } from './folder-watch.ts';
import { describeLoss, unacknowledgedLosses } from './losses.ts';
import { readManifest } from './manifest.ts';

/** What is wrong with the data folder of a running service; background jobs look. */
export class FolderState {
  readonly #folder: DataFolder;
  readonly #watch: FolderWatch;
  readonly #refuseWrites: (reason: string | undefined) => void;
  /** The folder or a database in it is gone, in a sentence for operators. */
  lost: string | undefined;

  /** @param refuseWrites refuses all changes with this reason, or accepts them again. */
  constructor(folder: DataFolder, refuseWrites: (reason: string | undefined) => void) {
    this.#folder = folder;
    this.#watch = new FolderWatch(folder.path);
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

  /** Pets that were lost and whose loss no operator has acknowledged, in a sentence for operators. */
  lostPets(): string | undefined {
    if (this.lost !== undefined) return undefined;
    const losses = unacknowledgedLosses(readManifest(this.#folder));
    if (losses.length === 0) return undefined;
    return `${losses.map(describeLoss).join(' ')} Restore a backup, or accept it: petstore store acknowledge-loss`;
  }
}
