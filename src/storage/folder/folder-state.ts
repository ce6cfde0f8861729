import { basename } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import type { Instant } from '../../lib/clock.ts';
import { isOutOfDescriptors } from '../../lib/descriptors.ts';
import type { DataFolder } from '../data-folder.ts';
import { describeDamage } from '../sqlite/unusable.ts';
import { FileCheck } from './file-check.ts';
import { FolderWatch } from './folder-watch.ts';
import { describeLoss, unacknowledgedLosses } from './losses.ts';
import { readManifest, requireManifest, updateManifest } from './manifest.ts';
import { withFile } from './pet-ids.ts';
import { readSecret } from './secret-files.ts';

/** The problems of the data folder of a running service, as found by background jobs. */
export class FolderState {
  readonly #folder: DataFolder;
  /** All other files that this process opens or locks in the folder must be added. */
  readonly watch: FolderWatch;
  readonly #check = new FileCheck();
  /** The paths of the open databases. */
  readonly #files: string[] = [];
  /** The first damage of each damaged database, by path. */
  readonly #damages = new Map<string, string>();
  readonly #refuseWrites: (reason: string | undefined) => void;
  readonly #storeId: string;
  /** The secret read from the folder; `undefined` when it is configured. */
  #secret: Buffer | undefined;
  /** Set when the folder or a file in it is lost: a sentence for operators. */
  lost: string | undefined;
  /** Set when the folder or a file in it is read-only: a sentence for operators. */
  readOnly: string | undefined;
  /** Set when the folder's secret is lost, a sentence for operators; this process has it in memory. */
  secretLost: string | undefined;

  /**
   * @param storeId id of the store in the folder.
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
   * Must be called for each opened database.
   * @param logLength returns the required length of its write-ahead log, in bytes.
   */
  opened(path: string, logLength: () => number): void {
    this.#files.push(path);
    this.watch.addDatabase(path, logLength);
  }

  /** Called when the secret was read from the folder, from which other processes read it as well. */
  readingSecret(secret: Buffer): void {
    this.#secret = secret;
  }

  /** Called when a read, a write or a check finds that a database is damaged. */
  foundDamage(path: string, finding: string): void {
    if (this.#damages.has(path)) return;
    this.#damages.set(path, finding);
    this.#recordDamage(basename(path), finding);
  }

  /** The damaged databases, as sentences for operators. */
  damage(): string | undefined {
    const damages = Array.from(this.#damages, ([path, finding]) => describeDamage(path, finding));
    return damages.length === 0 ? undefined : damages.join(' ');
  }

  /**
   * Checks the complete databases that are due.
   * @throws Error when a check cannot run.
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

  /** Checks whether the folder and its files still exist at their paths and are writable. */
  async inspect(): Promise<void> {
    const { lost, readOnly } = await this.watch.problems();
    this.lost = lost ?? this.#manifestProblem();
    this.readOnly = readOnly;
    this.secretLost = this.#secretProblem();
    this.#refuseWrites(this.lost);
  }

  /** The data losses that no operator has acknowledged, as sentences for operators. */
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
      // Reads continue. The next start finds the damage by its own check, or soon after.
    }
  }
}
