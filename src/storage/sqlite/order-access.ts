import type { OrderAccess } from '../orders/orders.ts';
import { environmentEngine } from './engine.ts';
import type { SqliteFile } from './file.ts';

/** The orders in the file of an environment. */
export function orderAccess(file: SqliteFile): OrderAccess {
  return {
    ...environmentEngine(file),
    changes: {
      createOrder: (input) => file.write({ name: 'createOrder', input }),
      updateOrder: (input) => file.write({ name: 'updateOrder', input }),
      importOrders: (input) => file.write({ name: 'importOrders', input }),
      deleteOrders: (input) => file.write({ name: 'deleteOrders', input }),
    },
  };
}
