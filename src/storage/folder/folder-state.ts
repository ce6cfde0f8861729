import { basename } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import type { Instant } from '../../lib/clock.ts';
import { isOutOfDescriptors } from '../../lib/descriptors.ts';
import { type DataFolder, readSecret } from '../data-folder.ts';
import { describeDamage } from '../sqlite/database.ts';
import { FileCheck } from './file-check.ts';
import { FolderWatch } from './folder-watch.ts';
import { describeLoss, unacknowledgedLosses } from './losses.ts';
import { readManifest, requireManifest, updateManifest } from './manifest.ts';
import { withFile } from './pet-ids.ts';

/** What is wrong with the data folder of a running service; background jobs look. */
export class FolderState {
  readonly #folder: DataFolder;
  /** Whatever else this process opens or locks in the folder is to be added. */
  readonly watch: FolderWatch;
  readonly #check = new FileCheck();
  /** The paths of the databases that are open. */
  readonly #files: string[] = [];
  /** The first damage of each damaged database, by path. */
  readonly #damages = new Map<string, string>();
  readonly #refuseWrites: (reason: string | undefined) => void;
  readonly #storeId: string;
  /** What the folder's secret was; `undefined` when it is configured. */
  #secret: Buffer | undefined;
  /** The folder or a file in it is gone, in a sentence for operators. */
  lost: string | undefined;
  /** The folder or a file in it may not be written, in a sentence for operators. */
  readOnly: string | undefined;
  /** The folder's secret is gone, in a sentence for operators; this process has it in memory. */
  secretLost: string | undefined;

  /**
   * @param storeId the store that the folder holds.
   * @param refuseWrites refuses all changes with this reason, or accepts them again.
   */
  constructor(
    folder: DataFolder,
    storeId: string,
    refuseWrites: (reason: string | undefined) => void,
  ) {
    this.#folder = folder;
    this.#storeId = storeId;
    this.watch = new FolderWatch(folder.path, folder.manifest);
    this.#refuseWrites = refuseWrites;
  }

  /**
   * Called for each database that was opened.
   * @param logLength gives how long its write-ahead log must be, in bytes.
   */
  opened(path: string, logLength: () => number): void {
    this.#files.push(path);
    this.watch.addDatabase(path, logLength);
  }

  /** Called when the secret was read from the folder, which every other process reads it from as well. */
  readingSecret(secret: Buffer): void {
    this.#secret = secret;
  }

  /** Called when a read, a write or a check finds that a database is damaged. */
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
   * Checks databases whole, if that is due.
   * @throws Error when that is not possible.
   */
  checkFiles(now: Instant): Promise<void> {
    return this.#check.run(this.#files, this.#damages, now, (path, finding) => {
      if (finding === undefined) this.#damages.delete(path);
      else this.foundDamage(path, finding);
    });
  }

  /** Ends a check in progress. */
  stopChecks(): void {
    this.#check.stop();
  }

  /** Looks whether the folder and its files are still at their paths, and may be written. */
  async look(): Promise<void> {
    const { lost, readOnly } = await this.watch.problems();
    this.lost = lost ?? this.#manifestProblem();
    this.readOnly = readOnly;
    this.secretLost = this.#secretProblem();
    this.#refuseWrites(this.lost);
  }

  /** What was lost, and whose loss no operator has acknowledged, in a sentence for operators. */
  lostData(): string | undefined {
    if (this.lost !== undefined) return undefined;
    const losses = unacknowledgedLosses(readManifest(this.#folder));
    if (losses.length === 0) return undefined;
    return `${losses.map(describeLoss).join(' ')} Restore a backup, or accept it: petstore store acknowledge-loss`;
  }

  #manifestProblem(): string | undefined {
    try {
      if (requireManifest(this.#folder).storeId === this.#storeId) return undefined;
      return `${this.#folder.manifest} was replaced while the service runs, which refuses all changes. Put it back as it was.`;
    } catch (error) {
      return isOutOfDescriptors(error) ? undefined : messageOf(error);
    }
  }

  #secretProblem(): string | undefined {
    if (!this.#secret) return undefined;
    try {
      if (readSecret(this.#folder, undefined, false).equals(this.#secret)) return undefined;
      return `${this.#folder.secret} was replaced while the service runs. Put it back from a backup.`;
    } catch (error) {
      return isOutOfDescriptors(error) ? undefined : messageOf(error);
    }
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
