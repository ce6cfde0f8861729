import { basename } from 'node:path';
import type { Instant } from '../../lib/clock.ts';
import type { DataFolder } from '../data-folder.ts';
import { describeDamage } from '../sqlite/database.ts';
import { FileCheck } from './file-check.ts';
import { FolderWatch } from './folder-watch.ts';
import { describeLoss, unacknowledgedLosses } from './losses.ts';
import { readManifest, requireManifest, updateManifest } from './manifest.ts';
import { withFile } from './pet-ids.ts';

/** What is wrong with the data folder of a running service; background jobs look. */
export class FolderState {
  readonly #folder: DataFolder;
  readonly #watch: FolderWatch;
  readonly #check = new FileCheck();
  /** The paths of the databases that are open. */
  readonly #files: string[] = [];
  /** The first damage of each damaged database, by path. */
  readonly #damages = new Map<string, string>();
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
    this.#files.push(path);
    this.#watch.add(path);
  }

  /** Called when a read or a check finds that a database is damaged. */
  foundDamage(path: string, finding: string): void {
    if (this.#damages.has(path)) return;
    this.#damages.set(path, finding);
    this.#recordDamage(basename(path), finding);
  }

  /** The damaged databases, in sentences for operators. */
  damage(): string | undefined {
    const damages = Array.from(this.#damages, ([path, finding]) => describeDamage(path, finding));
    return damages.length === 0 ? undefined : damages.join(' ');
  }

  /**
   * Checks large databases whole, if that is due.
   * @throws Error when that is not possible.
   */
  checkFiles(now: Instant): Promise<void> {
    return this.#check.run(this.#files, now, (path, finding) => {
      if (finding === undefined) this.#damages.delete(path);
      else this.foundDamage(path, finding);
    });
  }

  /** Ends a check in progress. */
  stopChecks(): void {
    this.#check.stop();
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

  /** Makes the next start check the whole file. */
  #recordDamage(name: string, damage: string): void {
    try {
      updateManifest(this.#folder, (found) => {
        const manifest = requireManifest(this.#folder, found);
        return withFile(manifest, name, { ...manifest.files[name], damage });
      });
    } catch {
      // Reads go on: the next start finds the damage by its own check, or soon after it.
    }
  }
}
