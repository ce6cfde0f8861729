import type { AccountOrder, Order, OrderStatus } from '../../core/orders/orders.ts';
import type { EnvironmentTransaction } from '../access.ts';
import { inEnvironment, select } from '../schema/selection.ts';

/** An order as a row of either engine. */
export interface OrderRow {
  readonly account_id: string;
  readonly id: bigint | number;
  readonly pet_id: bigint | number;
  readonly status: OrderStatus;
  readonly created_at: bigint | number;
  readonly updated_at: bigint | number;
}

const COLUMNS = ['account_id', 'id', 'pet_id', 'status', 'created_at', 'updated_at'] as const;

/** Selects orders of an environment. @param rest as in `select`. */
export function selectOrders(rest: string) {
  return select('orders', COLUMNS, rest);
}

/** Selects orders within a transaction. @param rest as in `inEnvironment`. */
export function selectOrdersInTransaction(rest: string) {
  return inEnvironment<OrderRow>(`SELECT ${COLUMNS.join(', ')} FROM orders ${rest}`);
}

const INSERT = inEnvironment(
  `INSERT INTO orders (environment, account_id, id, pet_id, status, created_at, updated_at, idempotency_key)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** Adds an order. @param key its idempotency key, which no other order of the account has. */
export async function insertOrder(
  transaction: EnvironmentTransaction,
  order: AccountOrder,
  key: string | undefined,
): Promise<void> {
  const { accountId, id, petId, status, createdAt, updatedAt } = order;
  const values = [accountId, id, petId, status, createdAt, updatedAt, key ?? null];
  await transaction.run(INSERT, ...values);
}

export function orderFrom(row: OrderRow): Order {
  return {
    id: Number(row.id),
    petId: Number(row.pet_id),
    status: row.status,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

export function accountOrderFrom(row: OrderRow): AccountOrder {
  return { accountId: row.account_id, ...orderFrom(row) };
}
