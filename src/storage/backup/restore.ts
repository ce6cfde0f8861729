import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { messageOf, OperatorError, SetupError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  type DataFolder,
  dataFolderAt,
  FILE_NAMES,
  makeDurable,
  openDataFolder,
} from '../data-folder.ts';
import { DATABASES } from '../folder/databases.ts';
import { writeManifest } from '../folder/manifest.ts';
import { moveAside } from '../folder/move-aside.ts';
import { newManifest } from '../folder/store-files.ts';
import { endSessions } from '../sqlite/backup.ts';
import { connect } from '../sqlite/database.ts';
import { setStoreId } from '../sqlite/identity.ts';
import { takeLock } from '../sqlite/lock.ts';
import { unpackSound } from './archive.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

const WORKSHOP = '.restore-';

export interface Restored {
  readonly folder: string;
  readonly createdAt: string;
  /** Where the former content of the data folder went, if there was any. */
  readonly movedTo: string | undefined;
}

/**
 * Puts a backup into the data folder, after every file in it was checked.
 * @param replace moves what is there into a new folder in it, instead of refusing.
 * @throws OperatorError when the backup is damaged, the folder is in use, or it holds data.
 */
export async function restoreBackup(
  config: Config,
  file: string,
  replace: boolean,
  clock: Clock,
): Promise<Restored> {
  if (!existsSync(file)) throw new OperatorError(`There is no file ${file}.`);
  const folder = openDataFolder(config.dataDir);
  const lock = takeLock(folder.folderLock);
  if (!lock) {
    throw new SetupError(
      `${folder.path} is in use by the service or a command. Stop it, or wait for its end.`,
    );
  }
  try {
    removeLitter(folder);
    using temporary = openTemporaryFolder(join(folder.path, WORKSHOP));
    const { createdAt, files } = await unpackSound(file, temporary.path);
    endSessions(join(temporary.path, FILE_NAMES.accounts));
    const kept = readdirSync(folder.path).filter(isData);
    if (kept.length > 0 && !replace) {
      throw new OperatorError(`${folder.path} holds data. Add --replace to move it aside first.`);
    }
    const restored = files.map(({ name }) => name);
    makeStore(temporary.path, restored);
    const names = [...restored, FILE_NAMES.manifest];
    return {
      folder: folder.path,
      createdAt,
      movedTo: swap(folder, kept, temporary.path, names, clock),
    };
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`Cannot restore into ${folder.path}: ${messageOf(cause)}.`, { cause });
  } finally {
    lock.release();
  }
}

/** What restores left that were killed. */
function removeLitter({ path }: DataFolder): void {
  for (const name of readdirSync(path)) {
    if (name.startsWith(WORKSHOP)) rmSync(join(path, name), { recursive: true });
  }
}

function isData(name: string): boolean {
  return (
    [FILE_NAMES.secret, FILE_NAMES.manifest, 'store.lock'].includes(name) ||
    /\.db(-wal|-shm)?$/.test(name)
  );
}

/** Makes the unpacked files a store of their own, which is not the one that they were copied from. */
function makeStore(path: string, names: readonly string[]): void {
  const databases = names.filter((name) => DATABASES.some(([each]) => each === name));
  const manifest = newManifest(databases);
  for (const name of databases) {
    using database = connect(join(path, name));
    setStoreId(database, manifest.storeId);
  }
  writeManifest(dataFolderAt(path), manifest);
}

/**
 * Moves the former files aside and the new ones in. Without a pause, so that no signal can end the
 * process on the way; where something else does, a mark stays, and nothing starts from a half.
 * @returns where the former files are, if there were any.
 */
function swap(
  folder: DataFolder,
  former: readonly string[],
  temporary: string,
  names: readonly string[],
  clock: Clock,
): string | undefined {
  writeFileSync(folder.unfinishedRestore, '');
  makeDurable(folder.unfinishedRestore);
  makeDurable(folder.path);
  const aside =
    former.length > 0 ? moveAside(folder.path, former, 'before-restore', clock) : undefined;
  for (const name of names) renameSync(join(temporary, name), join(folder.path, name));
  makeDurable(folder.path);
  rmSync(folder.unfinishedRestore);
  makeDurable(folder.path);
  return aside;
}
