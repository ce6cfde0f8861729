import type { Config } from '../../config/config.ts';
import type { Environment } from '../../core/environments.ts';
import { FINGERPRINT } from '../../core/secret.ts';
import type { Clock } from '../../lib/clock.ts';
import { FILE_NAMES, keepRestoreOut, openDataFolder, readSecret } from '../data-folder.ts';
import { FolderState } from '../folder/folder-state.ts';
import { StoreFiles } from '../folder/store-files.ts';
import { sharedStores } from '../shared-stores.ts';
import type { DatabaseStores, EnvironmentStores } from '../stores.ts';
import { WriteOutcomes } from '../write-outcomes.ts';
import { SqliteAccess } from './access.ts';
import { sqliteByHand } from './by-hand.ts';
import type { Expectations, SqliteSelection } from './database.ts';
import { SqliteFile } from './file.ts';
import { FileLeases } from './leases.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA, type Schema } from './migrations.ts';
import { SqlitePetStore } from './pet-store.ts';
import { SqliteQuotaStore } from './quota-store.ts';
import { Writer } from './writer.ts';

const HIGHEST_ID: SqliteSelection<{ id: bigint | null }> = {
  sqlite: 'SELECT max(id) AS id FROM pets',
};

/**
 * Opens the stores of the data folder.
 * @throws SetupError when the folder or a file in it cannot be used.
 */
export async function openSqliteStores(config: Config, clock: Clock): Promise<DatabaseStores> {
  await using opening = new AsyncDisposableStack();
  const folder = openDataFolder(config.dataDir);
  const lock = keepRestoreOut(folder);
  opening.defer(() => lock.release());
  const writer = new Writer({ outcomes: new WriteOutcomes(clock) });
  opening.defer(() => writer.close());
  const files = new StoreFiles(folder);
  const folderState = new FolderState(folder, (reason) => {
    writer.refusal = reason;
  });
  const opened = new Set<string>();
  const openAs = (schema: Schema) => (path: string, expected: Expectations) => {
    const onDamage = (finding: string) => folderState.foundDamage(path, finding);
    const file = new SqliteFile(path, schema, writer, { ...expected, onDamage });
    folderState.opened(path);
    opened.add(path);
    return file;
  };
  const accountsFile = files.open(FILE_NAMES.accounts, openAs(ACCOUNTS_SCHEMA));
  opening.defer(() => accountsFile.close());
  const shared = sharedStores(new SqliteAccess(accountsFile), sqliteByHand(accountsFile));
  const isFirstStart = (await shared.settings.find(FINGERPRINT)) === undefined;
  const secret = readSecret(folder, config.secret, isFirstStart);
  const environments = new Map<Environment, EnvironmentStores>();
  const resources = opening.move();
  return {
    folder,
    folderState,
    secret,
    ...shared,
    leases: new FileLeases(folder.lock),
    writer,
    writes: writer.outcomes,
    prepareWrites: () => writer.open(opened),
    loadRareWrites: () => writer.load(),
    probeWrites: () => writer.probe(),
    measure(metrics) {
      writer.metrics = metrics;
    },
    environment(name) {
      const known = environments.get(name);
      if (known) return known;
      const file = files.openEnvironment(name, openAs(ENVIRONMENT_SCHEMA), findHighestId, clock);
      resources.defer(() => file.close());
      writer.recordIds(folder.database(name), { environment: name, storeId: files.storeId });
      const stores = { pets: new SqlitePetStore(file), quotas: new SqliteQuotaStore(file) };
      environments.set(name, stores);
      return stores;
    },
    close: () => resources.disposeAsync(),
  };
}

function findHighestId(file: SqliteFile): number {
  return Number(file.get(HIGHEST_ID)?.id ?? 0);
}
