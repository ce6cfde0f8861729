import type { Config, DatabaseSettings } from '../../config/config.ts';
import type { AccountStore } from '../../core/accounts/accounts.ts';
import type { Environment } from '../../core/environments.ts';
import { secretsOf } from '../../core/keys/secrets.ts';
import { deleteOrdersOf } from '../../core/orders/abandoned-orders.ts';
import type { Clock } from '../../lib/clock.ts';
import { dataFolderAt } from '../data-folder.ts';
import { StoredOrders } from '../orders/orders.ts';
import { petStoreOptions } from '../pets/pets.ts';
import { storedQuotas } from '../quotas.ts';
import { sharedStores } from '../shared-stores.ts';
import type { DatabaseStores } from '../stores.ts';
import { WriteKinds } from '../write-kinds.ts';
import { WriteOutcomes } from '../write-outcomes.ts';
import { PostgresDatabase } from './database.ts';
import { environmentEngine, findKey, postgresEngine } from './engine.ts';
import { resetEnvironment } from './environment-reset.ts';
import { RowLeases } from './leases.ts';
import { PostgresMessageQueue } from './message-queue.ts';
import { migrate } from './migrate.ts';
import { orderAccess } from './order-access.ts';
import { PostgresPetStore } from './pet-store.ts';
import { requireCapablePooler } from './pooler.ts';
import { requirePrimary } from './primary.ts';
import { refuseUnfinishedStoreMigration } from './store-migration-state.ts';

/**
 * Opens the stores of a PostgreSQL database.
 * @throws SetupError when the database cannot be used.
 */
export async function openPostgresStores(
  config: Config,
  { servers, connections, secret }: DatabaseSettings,
  clock: Clock,
): Promise<DatabaseStores> {
  const primary = await requirePrimary(servers);
  await requireCapablePooler(primary);
  const isDistributed = await migrate(primary);
  const database = new PostgresDatabase(primary, servers, new WriteOutcomes(clock), connections);
  database.isDistributed = isDistributed;
  try {
    await refuseUnfinishedStoreMigration(database);
  } catch (cause) {
    await database.close();
    throw cause;
  }
  const messages = new PostgresMessageQueue(database);
  const kinds = new WriteKinds(clock, isDistributed);
  const engine = postgresEngine(database, kinds);
  const hotPath = { findKey: findKey(database), messages };
  const deleteOrders = (id: string) => deleteOrdersOf(id, (name) => environments[name]);
  const shared = sharedStores(engine, hotPath, kinds, deleteOrders);
  const open = (name: Environment) => openEnvironment(database, name, kinds, shared.accounts);
  const environments = { production: open('production'), staging: open('staging') };
  const pets = Object.values(environments).map((each) => each.pets);
  const queues = [messages.arrivals, ...pets.map(({ creations }) => creations)];
  return {
    folder: dataFolderAt(config.dataDir),
    folderState: undefined,
    secrets: secretsOf(Buffer.from(secret), config.previousSecrets),
    ...shared,
    leases: new RowLeases(database.of('shared')),
    writer: {
      get waiting() {
        return queues.reduce((sum, { waiting }) => sum + waiting, 0);
      },
    },
    writes: database.writes,
    logs: undefined,
    kinds,
    checkpoint() {},
    prepareWrites: async () => {},
    load: async () => {},
    probeWrites: () => database.probeWrites(),
    measure(metrics) {
      database.metrics = metrics;
      for (const queue of queues) queue.metrics = metrics;
    },
    environment: (name) => environments[name],
    async close() {
      await Promise.all([messages, ...pets].map((each) => each.close()));
      await database.close();
    },
  };
}

function openEnvironment(
  database: PostgresDatabase,
  name: Environment,
  kinds: WriteKinds,
  accounts: AccountStore,
) {
  const pets = new PostgresPetStore(database, name, petStoreOptions(name, kinds, accounts));
  const watchOrders = kinds.watcher(`changes of orders in ${name}`);
  const watchQuotas = kinds.watcher(`saves of quotas in ${name}`);
  return {
    pets,
    orders: new StoredOrders(orderAccess(database, name), { pets, watchChanges: watchOrders }),
    quotas: storedQuotas(environmentEngine(database, name), watchQuotas),
    reset: () => resetEnvironment(database, name),
  };
}
