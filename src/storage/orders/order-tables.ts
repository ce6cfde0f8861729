import { newTable, type Statements } from '../schema/migration-steps.ts';

/** The table of orders, used in the lists of both engines. */
export const ORDERS = ordersTable();

/** The indexes for pages of an account, by status or not, its repeated requests, open orders, and lists of operators. */
export const ORDER_INDEXES = orderIndexes();

/** The index for the latest order of an account for a pet. */
export const ORDERS_BY_PET: Statements = {
  sqlite: ['CREATE INDEX orders_by_pet ON orders (account_id, pet_id)'],
  postgres: [
    'CREATE INDEX IF NOT EXISTS orders_by_pet ON orders (environment, account_id, pet_id, id)',
  ],
};

function ordersTable(): Statements {
  const id = 'CHECK (id BETWEEN 1 AND 9007199254740991)';
  const fields = [
    'pet_id INTEGER NOT NULL',
    "status TEXT NOT NULL CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled'))",
    'created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL',
    'idempotency_key TEXT',
  ];
  const { sqlite } = newTable('orders', [
    `id INTEGER PRIMARY KEY ${id}`,
    'account_id TEXT NOT NULL',
    ...fields,
  ]);
  const { postgres } = newTable('orders', [
    "environment TEXT NOT NULL CHECK (environment IN ('production', 'staging'))",
    'account_id TEXT NOT NULL',
    `id INTEGER NOT NULL ${id}`,
    ...fields,
    'PRIMARY KEY (environment, account_id, id)',
  ]);
  const sequences = ['production', 'staging'].map(
    (name) => `CREATE SEQUENCE IF NOT EXISTS ${name}_order_ids MAXVALUE 9007199254740991`,
  );
  return { sqlite, postgres: [...sequences, ...postgres] };
}

function orderIndexes(): Statements {
  const open = "WHERE status IN ('placed', 'approved')";
  const repeatable = 'WHERE idempotency_key IS NOT NULL';
  const unique = 'CREATE UNIQUE INDEX IF NOT EXISTS orders_by_idempotency_key ON orders';
  return {
    // The id is part of every index entry on SQLite.
    sqlite: [
      'CREATE INDEX orders_by_account ON orders (account_id)',
      'CREATE INDEX orders_by_status ON orders (account_id, status)',
      `CREATE INDEX open_orders ON orders (account_id) ${open}`,
      `CREATE INDEX orders_with_key ON orders (created_at) ${repeatable}`,
      `${unique} (account_id, idempotency_key) ${repeatable}`,
    ],
    postgres: [
      'CREATE INDEX IF NOT EXISTS orders_by_status ON orders (environment, account_id, status, id)',
      'CREATE INDEX IF NOT EXISTS orders_by_id ON orders (environment, id)',
      `CREATE INDEX IF NOT EXISTS open_orders ON orders (environment, account_id) ${open}`,
      `CREATE INDEX IF NOT EXISTS orders_with_key ON orders (environment, created_at) ${repeatable}`,
      `${unique} (environment, account_id, idempotency_key) ${repeatable}`,
    ],
  };
}
