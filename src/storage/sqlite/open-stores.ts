import { existsSync, writeFileSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import type { AccountStore } from '../../core/accounts/accounts.ts';
import type { Environment } from '../../core/environments.ts';
import { SetupError } from '../../core/errors.ts';
import {
  FINGERPRINTS,
  MOST_PREVIOUS_SECRETS,
  type Secrets,
  secretsOf,
} from '../../core/keys/secrets.ts';
import { deleteOrdersOf } from '../../core/orders/abandoned-orders.ts';
import type { Settings } from '../../core/settings.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DatabaseName, type DataFolder, lockShared, openDataFolder } from '../data-folder.ts';
import { asSetupError } from '../folder/file-failures.ts';
import { FolderState } from '../folder/folder-state.ts';
import { readPreviousSecrets, readSecret } from '../folder/secret-files.ts';
import { StoreFiles } from '../folder/store-files.ts';
import { StoredOrders } from '../orders/orders.ts';
import { petStoreOptions } from '../pets/pets.ts';
import { storedQuotas } from '../quotas.ts';
import { sharedStores } from '../shared-stores.ts';
import type { DatabaseStores, EnvironmentStores } from '../stores.ts';
import { WriteAheadLogs } from '../write-ahead-logs.ts';
import { WriteKinds } from '../write-kinds.ts';
import { WriteOutcomes } from '../write-outcomes.ts';
import type { Expectations } from './database.ts';
import { environmentEngine, sqliteEngine, sqliteHotPathQueries } from './engine.ts';
import { SqliteFile } from './file.ts';
import { fileLeases } from './leases.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA, type Schema } from './migrations.ts';
import { HIGHEST_ID, LAST_CHANGE } from './numbers.ts';
import { orderAccess } from './order-access.ts';
import { SqlitePetStore } from './pet-store.ts';
import { RequestLogFile } from './request-log-file.ts';
import { Writer } from './writer.ts';
import type { WriterThreads } from './writer-threads.ts';

/**
 * Opens the stores of the data folder.
 * @throws SetupError when the folder or a file in it cannot be used.
 */
export async function openSqliteStores(
  config: Config,
  clock: Clock,
  threads?: WriterThreads,
): Promise<DatabaseStores> {
  const folder = openDataFolder(config.dataDir);
  try {
    return await openFiles(folder, config, clock, threads);
  } catch (error) {
    throw asSetupError(folder, error);
  }
}

async function openFiles(
  folder: DataFolder,
  config: Config,
  clock: Clock,
  threads: WriterThreads | undefined,
): Promise<DatabaseStores> {
  await using opening = new AsyncDisposableStack();
  const lock = lockShared(folder);
  opening.defer(() => lock.release());
  const databases = new Databases(folder, clock, threads);
  const { writer, state, kinds } = databases;
  opening.defer(() => writer.close());
  // A new store is written to immediately, so start the thread while this one creates the files.
  if (!existsSync(folder.accounts)) writer.start();
  const accountsFile = databases.openAccounts();
  opening.defer(() => accountsFile.close());
  databases.watchLocks();
  const requestLog = databases.requestLog(threads);
  opening.defer(() => requestLog.close());
  const hotPath = sqliteHotPathQueries(accountsFile, requestLog);
  const deleteOrders = (id: string) => deleteOrdersOf(id, environment);
  const shared = sharedStores(sqliteEngine(accountsFile, kinds), hotPath, kinds, deleteOrders);
  const secrets = await readSecrets(config, folder, shared.settings, state);
  const environments = new Map<Environment, EnvironmentStores>();
  const resources = opening.move();
  function environment(name: Environment): EnvironmentStores {
    const known = environments.get(name);
    if (known) return known;
    const file = openOrExplain(folder, () => databases.openEnvironment(name));
    resources.defer(() => file.close());
    const stores = environmentStores(name, file, kinds, shared.accounts);
    environments.set(name, stores);
    return stores;
  }
  return {
    folder,
    folderState: state,
    secrets,
    ...shared,
    leases: fileLeases(folder.lock, (path) => state.watch.addLock(path)),
    writer,
    writes: writer.outcomes,
    logs: databases.logs,
    kinds,
    checkpoint() {
      writer.checkpoint();
      requestLog.checkpoint();
    },
    prepareWrites: () => writer.open(databases.paths),
    async load() {
      await writer.load();
      if (config.requestLogDays > 0) await requestLog.load();
    },
    probeWrites: () => writer.probe(),
    measure(metrics) {
      writer.metrics = metrics;
    },
    environment,
    async close() {
      // Closing checkpoints the write-ahead logs, which must not happen with a truncated log.
      await state.inspect();
      await resources.disposeAsync();
    },
  };
}

function environmentStores(
  name: Environment,
  file: SqliteFile,
  kinds: WriteKinds,
  accounts: AccountStore,
): EnvironmentStores {
  const pets = new SqlitePetStore(file, petStoreOptions(name, kinds, accounts));
  const watchChanges = kinds.watcher(`changes of orders in ${name}`);
  return {
    pets,
    orders: new StoredOrders(orderAccess(file), { pets, watchChanges }),
    quotas: storedQuotas(environmentEngine(file), kinds.watcher(`saves of quotas in ${name}`)),
    reset: () => file.write({ name: 'resetEnvironment', input: null }),
  };
}

function openOrExplain<Opened>(folder: DataFolder, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    throw asSetupError(folder, error);
  }
}

/** The databases of a data folder that this process has open, with their writer and their state. */
class Databases {
  readonly #folder: DataFolder;
  readonly #clock: Clock;
  readonly #files: StoreFiles;
  readonly logs: WriteAheadLogs;
  readonly kinds: WriteKinds;
  readonly writer: Writer;
  readonly state: FolderState;
  /** The paths of the open databases. */
  readonly paths = new Set<string>();

  constructor(folder: DataFolder, clock: Clock, threads: WriterThreads | undefined) {
    this.#folder = folder;
    this.#clock = clock;
    this.#files = new StoreFiles(folder);
    this.logs = new WriteAheadLogs(clock);
    this.kinds = new WriteKinds(clock);
    this.writer = new Writer({ threads, outcomes: new WriteOutcomes(clock), logs: this.logs });
    this.state = new FolderState(folder, this.#files.storeId, (reason) => {
      this.writer.refusal = reason;
    });
    this.writer.onDamage = (path, finding) => this.state.foundDamage(path, finding);
  }

  openAccounts(): SqliteFile {
    const lastChange = (file: SqliteFile) => Number(file.get(LAST_CHANGE)?.number ?? 0);
    const file = this.#files.openAccounts(this.#openAs(ACCOUNTS_SCHEMA), lastChange, this.#clock);
    this.#record('accounts', this.#folder.accounts);
    return file;
  }

  openEnvironment(name: Environment): SqliteFile {
    const open = this.#openAs(ENVIRONMENT_SCHEMA);
    const highestId = (file: SqliteFile) => Number(file.get(HIGHEST_ID)?.number ?? 0);
    const file = this.#files.openEnvironment(name, open, highestId, this.#clock);
    this.#record(name, this.#folder.database(name));
    return file;
  }

  requestLog(threads: WriterThreads | undefined): RequestLogFile {
    const { requests, accounts } = this.#folder;
    return new RequestLogFile(requests, accounts, { threads, logs: this.logs });
  }

  /** Watches the locks of this process. Called after adding the databases, whose loss is reported first. */
  watchLocks(): void {
    const { folderLock, manifestLock } = this.#folder;
    // A restored folder has no lock file until the manifest changes.
    if (!existsSync(manifestLock)) writeFileSync(manifestLock, '', { flag: 'a', mode: 0o600 });
    this.state.watch.addLock(folderLock);
    this.state.watch.addLock(manifestLock);
  }

  #openAs(schema: Schema) {
    return (path: string, expected: Expectations) => {
      const onDamage = (finding: string) => this.state.foundDamage(path, finding);
      const file = new SqliteFile(path, schema, this.writer, { ...expected, onDamage });
      this.state.opened(path, () => file.logLength());
      this.paths.add(path);
      return file;
    };
  }

  #record(name: DatabaseName, path: string): void {
    this.state.watch.addFile(this.#folder.acknowledged(name));
    this.writer.record(path, { name, storeId: this.#files.storeId });
  }
}

/**
 * The secrets in the settings and in the folder.
 * @throws SetupError when they cannot be read, or are too many.
 */
async function readSecrets(
  config: Config,
  folder: DataFolder,
  settings: Settings,
  state: FolderState,
): Promise<Secrets> {
  const isFirstStart = (await settings.find(FINGERPRINTS)) === undefined;
  const secret = readSecret(folder, config.secret, isFirstStart);
  if (config.secret === undefined) state.readingSecret(secret);
  const secrets = secretsOf(secret, [...readPreviousSecrets(folder), ...config.previousSecrets]);
  if (secrets.previous.length <= MOST_PREVIOUS_SECRETS) return secrets;
  throw new SetupError(
    `${folder.previousSecrets} and PETSTORE_PREVIOUS_SECRETS name more than ${MOST_PREVIOUS_SECRETS} secrets. Remove those that nothing needs.`,
  );
}
