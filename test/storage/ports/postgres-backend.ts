import type { Environment } from '../../../src/core/environments.ts';
import { deleteOrdersOf } from '../../../src/core/orders/abandoned-orders.ts';
import { StoredOrders } from '../../../src/storage/orders/orders.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/database.ts';
import {
  environmentEngine,
  findKey,
  postgresEngine,
} from '../../../src/storage/postgres/engine.ts';
import { resetEnvironment } from '../../../src/storage/postgres/environment-reset.ts';
import { PostgresMessageQueue } from '../../../src/storage/postgres/message-queue.ts';
import { orderAccess } from '../../../src/storage/postgres/order-access.ts';
import { PostgresPetStore } from '../../../src/storage/postgres/pet-store.ts';
import { storedQuotas } from '../../../src/storage/quotas.ts';
import { sharedStores } from '../../../src/storage/shared-stores.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { accountFinder, type Backend } from './backend.ts';

/** Fewer connections than a service opens: each one costs CPU time of the server. */
const CONNECTIONS = 3;

/** Stores in a new database on this server. */
export async function openPostgresBackend(server: PostgresServer): Promise<Backend> {
  return connectTo(await server.createMigrated());
}

/** Stores in a migrated database, with their own connections. */
export function connectTo(url: string, isDistributed = false): Backend {
  const database = new PostgresDatabase(url, [url], undefined, CONNECTIONS);
  database.isDistributed = isDistributed;
  const messages = new PostgresMessageQueue(database);
  const hotPath = { findKey: findKey(database), messages };
  const shared = sharedStores(postgresEngine(database), hotPath, undefined, (id) =>
    deleteOrdersOf(id, (name) => ({ orders: orders(name) })),
  );
  const options = { hasAccount: accountFinder(shared) };
  const pets = {
    production: new PostgresPetStore(database, 'production', options),
    staging: new PostgresPetStore(database, 'staging', options),
  };
  const orders = (environment: Environment = 'production') =>
    new StoredOrders(orderAccess(database, environment), { pets: pets[environment] });
  return {
    ...shared,
    pets: (environment: Environment = 'production') => pets[environment],
    orders,
    quotas: (environment: Environment = 'production') =>
      storedQuotas(environmentEngine(database, environment)),
    resetEnvironment: (environment) => resetEnvironment(database, environment),
    run: async (_, sql) => {
      await database.run(sql);
    },
    another: async () => connectTo(url, isDistributed),
    async [Symbol.asyncDispose]() {
      await Promise.all([messages, ...Object.values(pets)].map((each) => each.close()));
      await database.close();
    },
  };
}
