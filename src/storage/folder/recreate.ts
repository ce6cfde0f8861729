import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { ENVIRONMENTS } from '../../core/environments.ts';
import { OperatorError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DataFolder, dataFolderAt, FILE_NAMES, lockAlone } from '../data-folder.ts';
import { inspectDatabase, openDatabase } from '../sqlite/database.ts';
import { DATABASES } from './databases.ts';
import { asSetupError, isThere } from './file-failures.ts';
import { readManifest, writeManifest } from './manifest.ts';
import { beginIds, highestGivenId, withFile } from './pet-ids.ts';
import { quarantine } from './quarantine.ts';
import { makeStore } from './store-files.ts';

/**
 * Re-creates a lost file of the data folder without its content: an empty database, or a manifest of the existing
 * databases.
 * @param name file name of a database or of the manifest.
 * @throws OperatorError when the file is not lost.
 * @throws SetupError when the folder is in use, or its other files cannot be used.
 */
export function recreate({ dataDir }: Config, name: string, clock: Clock): void {
  const folder = dataFolderAt(dataDir);
  if (!isThere(dataDir)) throw new OperatorError(`${dataDir} holds no data.`);
  using _lock = lockAlone(folder);
  try {
    if (name === FILE_NAMES.manifest) makeManifest(folder);
    else makeDatabase(folder, name, clock);
  } catch (cause) {
    throw asSetupError(folder, cause);
  }
}

function makeManifest(folder: DataFolder): void {
  if (isThere(folder.manifest)) {
    throw new OperatorError(`${folder.manifest} is there. Move it away first.`);
  }
  const made = DATABASES.filter(([name]) => inspectDatabase(join(folder.path, name)).isMade);
  if (made.length === 0) throw new OperatorError(`${folder.path} holds no database.`);
  makeStore(
    folder,
    made.map(([name]) => name),
    (environment, highest) => highestGivenId(folder, undefined, environment, highest),
  );
}

function makeDatabase(folder: DataFolder, name: string, clock: Clock): void {
  const path = join(folder.path, name);
  const manifest = readManifest(folder);
  const schema = DATABASES.find(([each]) => each === name)?.[1];
  if (!schema || !manifest?.files[name]) {
    throw new OperatorError(`${path} was never there: the service makes it when it needs it.`);
  }
  if (isThere(path) && (!statSync(path).isFile() || inspectDatabase(path).isMade)) {
    throw new OperatorError(`${path} is not empty. Move it away first.`);
  }
  // A write-ahead log of the lost file must not become part of the new one.
  const remains = readdirSync(folder.path).filter((each) => each.startsWith(name));
  const acknowledged = FILE_NAMES.acknowledged('accounts');
  // Also move the record of the accounts, which would report their loss. Records of assigned pet ids are still needed.
  if (name === FILE_NAMES.accounts && isThere(join(folder.path, acknowledged))) {
    remains.push(acknowledged);
  }
  if (remains.length > 0) quarantine(folder.path, remains, 'before-recreate', clock);
  openDatabase(path, schema, { storeId: manifest.storeId }).close();
  const environment = ENVIRONMENTS.find((each) => FILE_NAMES.database(each) === name);
  if (!environment) return;
  const idsAfter = highestGivenId(folder, manifest, environment);
  const listed = { hasIdentity: true, ...beginIds(folder, environment, 0, idsAfter) };
  writeManifest(folder, withFile(manifest, name, listed));
}
