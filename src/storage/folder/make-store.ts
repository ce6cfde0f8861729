import { join } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { type DataFolder, FILE_NAMES } from '../data-folder.ts';
import { connect } from '../sqlite/database.ts';
import { setIdentity } from '../sqlite/identity.ts';
import { HIGHEST_ID, selectNumber } from '../sqlite/numbers.ts';
import { type Manifest, writeManifest } from './manifest.ts';
import { beginIds, withFile } from './pet-ids.ts';
import { newManifest } from './store-files.ts';

/**
 * Makes the databases in a folder that is not in use a new store, with a manifest.
 * @param names file names of the databases.
 * @param idsAfter returns the id after which the ids of an environment continue, given the highest id in its
 * database.
 */
export function makeStore(
  folder: DataFolder,
  names: readonly string[],
  idsAfter: (environment: Environment, highest: number) => number,
): void {
  let manifest: Manifest = newManifest(names);
  for (const name of names) {
    using database = connect(join(folder.path, name));
    setIdentity(database, { id: manifest.storeId, file: name });
    manifest = withFile(manifest, name, { hasIdentity: true });
    const environment = ENVIRONMENTS.find((each) => FILE_NAMES.database(each) === name);
    if (!environment) continue;
    const highest = selectNumber(database, HIGHEST_ID);
    const ids = beginIds(folder, environment, highest, idsAfter(environment, highest));
    manifest = withFile(manifest, name, { hasIdentity: true, ...ids });
  }
  writeManifest(folder, manifest);
}
