import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Environment } from '../../../src/core/environments.ts';
import { deleteOrdersOf } from '../../../src/core/orders/abandoned-orders.ts';
import { StoredOrders } from '../../../src/storage/orders/orders.ts';
import { storedQuotas } from '../../../src/storage/quotas.ts';
import { sharedStores } from '../../../src/storage/shared-stores.ts';
import {
  environmentEngine,
  sqliteEngine,
  sqliteHotPathQueries,
} from '../../../src/storage/sqlite/engine.ts';
import { SqliteFile } from '../../../src/storage/sqlite/file.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA } from '../../../src/storage/sqlite/migrations.ts';
import { orderAccess } from '../../../src/storage/sqlite/order-access.ts';
import { SqlitePetStore } from '../../../src/storage/sqlite/pet-store.ts';
import { RequestLogFile } from '../../../src/storage/sqlite/request-log-file.ts';
import { Writer } from '../../../src/storage/sqlite/writer.ts';
import { temporaryFolder } from '../../support/harness.ts';
import { REUSED_THREADS } from '../../support/reused-threads.ts';
import { accountFinder, type Backend } from './backend.ts';

/** Stores in new SQLite files. */
export async function openSqliteBackend(): Promise<Backend> {
  const folder = temporaryFolder();
  return connectTo(folder.path, () => folder[Symbol.dispose]());
}

function connectTo(folder: string, afterwards: () => void): Backend {
  const writer = new Writer({ threads: REUSED_THREADS });
  const open = (name: string, schema: typeof ACCOUNTS_SCHEMA) =>
    new SqliteFile(join(folder, `${name}.db`), schema, writer, { onDamage() {} });
  const accounts = open('accounts', ACCOUNTS_SCHEMA);
  const environments = {
    production: open('production', ENVIRONMENT_SCHEMA),
    staging: open('staging', ENVIRONMENT_SCHEMA),
  };
  const requestLog = new RequestLogFile(join(folder, 'requests.db'), join(folder, 'accounts.db'), {
    threads: REUSED_THREADS,
  });
  const file = (environment: Environment = 'production') => environments[environment];
  const hotPath = sqliteHotPathQueries(accounts, requestLog);
  const shared = sharedStores(sqliteEngine(accounts), hotPath, undefined, (id) =>
    deleteOrdersOf(id, (name) => ({ orders: orders(name) })),
  );
  const options = { hasAccount: accountFinder(shared) };
  const pets = (environment?: Environment) => new SqlitePetStore(file(environment), options);
  const orders = (environment?: Environment) =>
    new StoredOrders(orderAccess(file(environment)), { pets: pets(environment) });
  return {
    ...shared,
    pets,
    orders,
    quotas: (environment) => storedQuotas(environmentEngine(file(environment))),
    resetEnvironment: (environment) =>
      file(environment).write({ name: 'resetEnvironment', input: null }),
    run: async (name, sql) => {
      using database = new Database(join(folder, `${name}.db`), { readwrite: true });
      database.run(sql);
    },
    another: async () => connectTo(folder, () => {}),
    async [Symbol.asyncDispose]() {
      for (const each of [accounts, ...Object.values(environments)]) each.close();
      await requestLog.close();
      await writer.close();
      afterwards();
    },
  };
}
