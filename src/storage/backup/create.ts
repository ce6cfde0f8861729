import { renameSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { ENVIRONMENTS } from '../../core/environments.ts';
import { OperatorError, SetupError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  type DataFolder,
  FILE_NAMES,
  lockShared,
  makeDurable,
  openDataFolder,
} from '../data-folder.ts';
import { DATABASES } from '../folder/databases.ts';
import { explainFailure, isThere } from '../folder/file-failures.ts';
import { readManifest } from '../folder/manifest.ts';
import { shareOwner } from '../folder/owner.ts';
import { requireListedFiles } from '../folder/store-files.ts';
import { snapshot } from '../sqlite/backup.ts';
import { type BackupManifest, DUMP, pack } from './archive.ts';
import { dumpDatabase } from './dump-database.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

/** The fields of a backup's manifest that describe the store. */
type About = Pick<BackupManifest, 'storeId' | 'idsAfter'>;

/**
 * Writes the content of the data folder into one file: consistent copies of the databases and the folder's secrets,
 * each with its digest; for a PostgreSQL database, its dump. A failure leaves no incomplete file.
 * @throws OperatorError when the file exists or cannot be written, or there is nothing to back up.
 */
export async function createBackup(
  config: Config,
  file: string,
  clock: Clock,
): Promise<BackupManifest> {
  const { database } = config;
  if (!database) return backUpFolder(config, file, clock);
  // Loaded only here, because backing up a data folder does not need it.
  return writeWhole(file, clock, (parts) => dumpDatabase(database, join(parts, DUMP)));
}

async function backUpFolder(config: Config, file: string, clock: Clock): Promise<BackupManifest> {
  if (!isThere(config.dataDir)) throw new OperatorError(`${config.dataDir} holds no data yet.`);
  const folder = openDataFolder(config.dataDir);
  using _lock = lockShared(folder);
  requireListedFiles(folder);
  if (!isThere(folder.accounts)) throw new OperatorError(`${folder.path} holds no data yet.`);
  const copy = async (parts: string) => {
    await copyData(folder, config.secret === undefined, parts);
    return aboutStore(folder);
  };
  return await writeWhole(file, clock, copy, folder.path);
}

/**
 * @param copy copies the files to back up into a folder.
 * @param source the data folder, whose owner the backup of root belongs to.
 */
async function writeWhole(
  file: string,
  clock: Clock,
  copy: (parts: string) => Promise<About>,
  source?: string,
): Promise<BackupManifest> {
  const target = resolve(file);
  if (isThere(target)) throw new OperatorError(`${file} exists. Name a new file.`);
  const createdAt = new Date(clock.now().wall).toISOString();
  try {
    using temporary = openTemporaryFolder(`${target}.`);
    const parts = join(temporary.path, 'parts');
    await mkdir(parts);
    const about = await copy(parts);
    const draft = join(temporary.path, 'backup.tar.gz');
    const manifest = await pack(parts, draft, { createdAt, ...about });
    if (source !== undefined) shareOwner(draft, source);
    renameSync(draft, target);
    makeDurable(dirname(target));
    return manifest;
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`Cannot write ${file}: ${explainFailure(target, cause)}`, { cause });
  }
}

async function copyData(folder: DataFolder, withSecret: boolean, into: string): Promise<void> {
  for (const [name, schema] of DATABASES) {
    const source = join(folder.path, name);
    if (isThere(source)) snapshot(source, join(into, name), schema);
  }
  if (isThere(folder.previousSecrets)) {
    await copyFile(folder.previousSecrets, join(into, FILE_NAMES.previousSecrets));
  }
  if (!withSecret) return;
  if (!isThere(folder.secret)) {
    throw new SetupError(`${folder.secret} is missing. Set PETSTORE_SECRET as the service has it.`);
  }
  await copyFile(folder.secret, join(into, FILE_NAMES.secret));
}

function aboutStore(folder: DataFolder): About {
  const { storeId, files = {} } = readManifest(folder) ?? {};
  const ids = ENVIRONMENTS.flatMap((name) => {
    const id = files[FILE_NAMES.database(name)]?.idsAfter;
    return id === undefined ? [] : [[name, id]];
  });
  return {
    ...(storeId !== undefined && { storeId }),
    ...(ids.length > 0 && { idsAfter: Object.fromEntries(ids) }),
  };
}
