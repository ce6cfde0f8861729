import type { Environment } from '../../core/environments.ts';
import { orderChanges } from '../orders/order-changes.ts';
import type { OrderAccess } from '../orders/orders.ts';
import type { PostgresDatabase } from './database.ts';
import { environmentEngine, environmentTransactions } from './engine.ts';

/** The orders of one environment. */
export function orderAccess(database: PostgresDatabase, environment: Environment): OrderAccess {
  const change = environmentTransactions(database, environment);
  return {
    ...environmentEngine(database, environment),
    changes: {
      createOrder: (input) => change((transaction) => orderChanges.createOrder(transaction, input)),
      updateOrder: (input) => change((transaction) => orderChanges.updateOrder(transaction, input)),
      importOrders: (input) =>
        change((transaction) => orderChanges.importOrders(transaction, input)),
      deleteOrders: (input) =>
        change((transaction) => orderChanges.deleteOrders(transaction, input)),
    },
  };
}
