import { readdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import { type Clock, SECOND } from '../../lib/clock.ts';
import { isThere } from '../folder/file-failures.ts';
import { shareOwner } from '../folder/owner.ts';
import { takeLock } from '../sqlite/lock.ts';
import { type BackupManifest, readSound } from './archive.ts';
import { createBackup } from './create.ts';

/** Such as `petstore-20261122T031500Z.backup`, or `petstore-20261122T031500Z_2.backup` for the second of one second. */
const NAME = /^petstore-(\d{8}T\d{6}Z)(?:_(\d+))?\.backup$/;

/** A file left behind by a backup that was killed. */
const LITTER = /^petstore-\d{8}T\d{6}Z(?:_\d+)?\.backup\.\w{6}$/;

const LOCK = '.petstore-backup.lock';

/** How long to wait for another backup into the same folder, in ms: most take less than a second. */
const PATIENCE = 10 * SECOND;

interface DatedBackup {
  readonly file: string;
  readonly manifest: BackupManifest;
  /** The older backups of the same store that were deleted. */
  readonly deleted: readonly string[];
  /** Files with the name of a backup that are incomplete or damaged, each with the reason; they are kept. */
  readonly damaged: readonly string[];
}

/**
 * Makes a backup named by its date, and deletes older ones of the same store.
 * @param folder an existing folder; other files in it are left alone.
 * @param keep how many intact backups to keep, including this one; all if `undefined`.
 * @param onMade called with the new backup before older ones are deleted, which may fail.
 * @throws OperatorError when the folder is missing, another backup into it is running, the backup fails, or an older
 * one cannot be deleted.
 */
export async function createDatedBackup(
  config: Config,
  folder: string,
  keep: number | undefined,
  clock: Clock,
  onMade: (file: string, manifest: BackupManifest) => Promise<void>,
): Promise<DatedBackup> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new OperatorError(`There is no folder ${folder}. Make it, for the user of the service.`);
  }
  const lockFile = join(folder, LOCK);
  using lock = takeLock(lockFile, PATIENCE);
  if (!lock) {
    throw new OperatorError(
      `Another backup into ${folder} has been running for more than ${PATIENCE / SECOND} s. Wait for its end.`,
    );
  }
  // The user of the service may make the next backup.
  if (!config.database && isThere(config.dataDir)) shareOwner(lockFile, config.dataDir);
  removeLitter(folder);
  // The name and the manifest have the same time.
  const moment = clock.now();
  const name = freeName(folder, moment.wall);
  const file = join(folder, name);
  const manifest = await createBackup(config, file, { now: () => moment });
  await onMade(file, manifest);
  return { file, manifest, ...(await deleteOlder(folder, name, manifest.storeId, keep)) };
}

/** A name after all others of its second: two backups may have the same second, also after the clock was set back. */
function freeName(folder: string, wall: number): string {
  const stamp = stampOf(wall);
  const ofThisSecond = readdirSync(folder).flatMap((name) => {
    const [, found, number = '1'] = NAME.exec(name) ?? [];
    return found === stamp ? [Number(number)] : [];
  });
  const number = Math.max(0, ...ofThisSecond) + 1;
  return number === 1 ? `petstore-${stamp}.backup` : `petstore-${stamp}_${number}.backup`;
}

function stampOf(wall: number): string {
  return new Date(wall).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** Orders the names of backups from the newest to the oldest. */
function byAge(one: string, other: string): number {
  const [, stamp = '', number = '1'] = NAME.exec(one) ?? [];
  const [, otherStamp = '', otherNumber = '1'] = NAME.exec(other) ?? [];
  return stamp === otherStamp ? Number(otherNumber) - Number(number) : stamp < otherStamp ? 1 : -1;
}

/** Safe, because the lock is held: no other backup is running in this folder. */
function removeLitter(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (LITTER.test(name)) rmSync(join(folder, name), { recursive: true });
  }
}

async function deleteOlder(
  folder: string,
  made: string,
  storeId: string | undefined,
  keep: number | undefined,
): Promise<Pick<DatedBackup, 'deleted' | 'damaged'>> {
  const deleted: string[] = [];
  const damaged: string[] = [];
  if (keep === undefined || storeId === undefined) return { deleted, damaged };
  let kept = 1;
  const others = readdirSync(folder).filter((name) => NAME.test(name) && name !== made);
  for (const name of others.sort(byAge)) {
    const file = join(folder, name);
    let manifest: BackupManifest;
    try {
      manifest = await readSound(file);
    } catch (cause) {
      damaged.push(`${file}: ${messageOf(cause)}`);
      continue;
    }
    const isNamedByDate = NAME.exec(name)?.[1] === stampOf(Date.parse(manifest.createdAt));
    if (manifest.storeId !== storeId || !isNamedByDate) continue;
    kept += 1;
    if (kept <= keep) continue;
    remove(file);
    deleted.push(file);
  }
  return { deleted, damaged };
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (cause) {
    throw new OperatorError(`Cannot delete ${file}: ${messageOf(cause)}`, { cause });
  }
}
