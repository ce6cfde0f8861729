import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { OperatorError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  type DataFolder,
  dataFolderAt,
  FILE_NAMES,
  lockExclusive,
  makeDurable,
  openDataFolder,
} from '../data-folder.ts';
import { explainFailure, isThere } from '../folder/file-failures.ts';
import { type Manifest, readManifest } from '../folder/manifest.ts';
import { shareOwner } from '../folder/owner.ts';
import { highestGivenId } from '../folder/pet-ids.ts';
import { quarantine } from '../folder/quarantine.ts';
import { refuseServedFolder } from '../folder/served-folder.ts';
import { makeStore } from '../folder/store-files.ts';
import { endSessions } from '../sqlite/backup.ts';
import { openDatabase } from '../sqlite/database.ts';
import { ENVIRONMENT_SCHEMA } from '../sqlite/migrations.ts';
import { findHighestId } from '../sqlite/numbers.ts';
import { type BackupManifest, DUMP, unpackSound } from './archive.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

const TEMPORARY_PREFIX = '.restore-';

/** The data beside the databases and their records. */
const SINGLE_FILES: readonly string[] = [
  FILE_NAMES.secret,
  FILE_NAMES.previousSecrets,
  FILE_NAMES.manifest,
  'store.lock',
];

export interface Restored {
  readonly folder: string;
  readonly createdAt: string;
  /** The folder with the previous content of the data folder, if there was any. */
  readonly movedTo: string | undefined;
}

/**
 * Restores a backup into the data folder after checking every file of the backup.
 * @param replace whether to move existing data into a new folder within the data folder, instead of refusing.
 * @throws OperatorError when the backup is damaged, the folder is in use, or it holds data.
 * @throws SetupError when a running service had its folder at this path, and it was moved or deleted.
 */
export async function restoreBackup(
  config: Config,
  file: string,
  replace: boolean,
  clock: Clock,
): Promise<Restored> {
  if (!isThere(file)) throw new OperatorError(`There is no file ${file}.`);
  const folder = openDataFolder(config.dataDir);
  using _lock = lockExclusive(folder);
  try {
    // A service that uses the folder now at this path would hold the lock.
    refuseServedFolder(folder.path);
    removeLitter(folder);
    using temporary = openTemporaryFolder(join(folder.path, TEMPORARY_PREFIX));
    const backup = await unpackSound(file, temporary.path);
    if (backup.files.some(({ name }) => name === DUMP)) {
      throw new OperatorError(
        `${file} is of a PostgreSQL database: unpack ${DUMP} with tar, and restore it with pg_restore.`,
      );
    }
    endSessions(join(temporary.path, FILE_NAMES.accounts));
    const kept = readdirSync(folder.path).filter(isData);
    if (kept.length > 0 && !replace) {
      throw new OperatorError(`${folder.path} holds data. Add --replace to move it aside first.`);
    }
    const idsAfter = findIdsAfter(folder, backup);
    const unpacked = backup.files.map(({ name }) => name).filter((name) => name.endsWith('.db'));
    const databases = [...unpacked, ...addMissing(temporary.path, unpacked, idsAfter)];
    makeStore(dataFolderAt(temporary.path), databases, (environment) => idsAfter[environment]);
    return {
      folder: folder.path,
      createdAt: backup.createdAt,
      movedTo: swap(folder, kept, temporary.path, idsAfter, clock),
    };
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(
      `Cannot restore into ${folder.path}: ${explainFailure(folder.accounts, cause)}`,
      { cause },
    );
  }
}

/** Removes the files left behind by a killed restore. */
function removeLitter({ path }: DataFolder): void {
  for (const name of readdirSync(path)) {
    if (name.startsWith(TEMPORARY_PREFIX)) rmSync(join(path, name), { recursive: true });
  }
}

function isData(name: string): boolean {
  return SINGLE_FILES.includes(name) || /\.(db(-wal(\.rest)?|-shm)?|ids)$/.test(name);
}

/**
 * The ids after which those of each environment continue, so that none is assigned twice: the highest of the
 * previous files, of an interrupted restore and of the backup. The previous files include the databases, because
 * the manifest and the record of ids may be lost.
 */
function findIdsAfter(folder: DataFolder, backup: BackupManifest): Record<Environment, number> {
  const interrupted = readUnfinished(folder);
  const former = readFormerManifest(folder);
  const highest = (name: Environment) =>
    Math.max(
      highestGivenId(folder, former, name, findHighestId(folder.database(name))),
      interrupted?.[name] ?? 0,
      backup.idsAfter?.[name] ?? 0,
    );
  return { production: highest('production'), staging: highest('staging') };
}

/**
 * Creates the databases that the backup lacks, where ids were assigned after it was made: without a database, its
 * ids would begin anew.
 * @returns their names.
 */
function addMissing(
  into: string,
  unpacked: readonly string[],
  idsAfter: Readonly<Record<Environment, number>>,
): string[] {
  const missing = ENVIRONMENTS.filter((environment) => idsAfter[environment] > 0)
    .map(FILE_NAMES.database)
    .filter((name) => !unpacked.includes(name));
  for (const name of missing) openDatabase(join(into, name), ENVIRONMENT_SCHEMA).close();
  return missing;
}

/** A record that was not written completely was never acted on: the previous files are in place. */
function readUnfinished({ unfinishedRestore: path }: DataFolder): BackupManifest['idsAfter'] {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A damaged manifest must not prevent the restore. */
function readFormerManifest(folder: DataFolder): Manifest | undefined {
  try {
    return readManifest(folder);
  } catch {
    return undefined;
  }
}

/**
 * Moves the previous files aside and the new ones in. It is synchronous, so that no signal handler can end the
 * process halfway. If the process ends for another reason, a marker file stays, which prevents opening the folder.
 * @returns the folder of the previous files, if there were any.
 */
function swap(
  folder: DataFolder,
  former: readonly string[],
  temporary: string,
  idsAfter: BackupManifest['idsAfter'],
  clock: Clock,
): string | undefined {
  writeFileSync(folder.unfinishedRestore, JSON.stringify(idsAfter));
  shareOwner(folder.unfinishedRestore);
  makeDurable(folder.unfinishedRestore);
  makeDurable(folder.path);
  const aside =
    former.length > 0 ? quarantine(folder.path, former, 'before-restore', clock) : undefined;
  for (const name of readdirSync(temporary).filter(isData)) {
    shareOwner(join(temporary, name), folder.path);
    renameSync(join(temporary, name), join(folder.path, name));
  }
  makeDurable(folder.path);
  rmSync(folder.unfinishedRestore);
  makeDurable(folder.path);
  return aside;
}
