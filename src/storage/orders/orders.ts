import { IDEMPOTENCY_TTL } from '../../core/idempotency.ts';
import type { OrderChangeRequest, OrderUpdateOutcome } from '../../core/orders/order-changes.ts';
import type {
  AllOrdersFilter,
  CreateOrderOutcome,
  ImportedOrder,
  LatestOrdersFilter,
  OrderActivity,
  OrderPage,
  OrderQuery,
  OrderStore,
} from '../../core/orders/order-store.ts';
import type { AccountOrder, NewOrder, Order, OrderStatus } from '../../core/orders/orders.ts';
import type { PetStore } from '../../core/pets/pet-store.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { chunks } from '../../lib/chunks.ts';
import type { Instant } from '../../lib/clock.ts';
import type { EnvironmentEngine } from '../access.ts';
import { applied } from '../pets/applied-changes.ts';
import { RequestsInFlight } from '../requests-in-flight.ts';
import { select, statementOn } from '../schema/selection.ts';
import { unwatched, type WatchWrite } from '../write-kinds.ts';
import type { BoundOrderChanges, OrderCreation } from './order-changes.ts';
import { accountOrderFrom, type OrderRow, orderFrom, selectOrders } from './order-rows.ts';

/** Orders deleted in one transaction: few enough that others do not wait long for its locks. */
const DELETED_AT_ONCE = 100;
/** Keys deleted in one statement, and others of the same moment. */
const PRUNED_AT_ONCE = 1_000;

/** Orders in the activity of an account, of the latest ones and of the latest open ones. */
const ACTIVITY_LENGTH = 100;

const ASCENDING = pagesWhere('id > ? ORDER BY id LIMIT ?');
const DESCENDING = pagesWhere('id < ? ORDER BY id DESC LIMIT ?');
const LATEST_OPEN = selectOrders(
  "WHERE account_id = ? AND status IN ('placed', 'approved') ORDER BY id DESC LIMIT ?",
);
const ONE = selectOrders('WHERE account_id = ? AND id = ?');
const LATEST_FOR_PET = selectOrders('WHERE account_id = ? AND pet_id = ? ORDER BY id DESC LIMIT 1');
const BY_ID = selectOrders('WHERE id = ?');
const NEXT_ACCOUNTS = 'account_id > ? GROUP BY account_id ORDER BY account_id LIMIT ?';
const ACCOUNTS = {
  open: select(
    'orders',
    ['account_id'],
    `WHERE status IN ('placed', 'approved') AND ${NEXT_ACCOUNTS}`,
  ),
  all: select('orders', ['account_id'], `WHERE ${NEXT_ACCOUNTS}`),
};
const FORGET = statementOn(
  'orders',
  `UPDATE orders SET idempotency_key = NULL
   WHERE account_id = ? AND idempotency_key IS NOT NULL AND created_at > ?`,
);
const EXPIRED = 'WHERE idempotency_key IS NOT NULL AND created_at <= ?';
const FIRST_EXPIRED = select(
  'orders',
  ['created_at'],
  `${EXPIRED} ORDER BY created_at LIMIT ${PRUNED_AT_ONCE}`,
);
const PRUNE = statementOn('orders', `UPDATE orders SET idempotency_key = NULL ${EXPIRED}`);

/** What orders need of an engine. */
export interface OrderAccess extends Pick<EnvironmentEngine, 'rows' | 'run'> {
  /** The changes, each in its own transaction. */
  readonly changes: BoundOrderChanges;
}

export interface OrderStoreOptions {
  /** The pets of the same environment. */
  readonly pets: Pick<PetStore, 'applyOwnChanges'>;
  /** Records whether the changes succeed. */
  readonly watchChanges?: WatchWrite;
}

/** The orders of one environment, on either engine. */
export class StoredOrders implements OrderStore {
  readonly #access: OrderAccess;
  readonly #options: OrderStoreOptions;
  readonly #inFlight = new RequestsInFlight();

  constructor(access: OrderAccess, options: OrderStoreOptions) {
    this.#access = access;
    this.#options = options;
  }

  list(query: OrderQuery): Awaitable<OrderPage> {
    const { limit, after } = query;
    const rows = this.#rows(ASCENDING, query, after);
    return rows instanceof Promise
      ? rows.then((found) => pageOf(found, limit, orderFrom))
      : pageOf(rows, limit, orderFrom);
  }

  /** One row more than fits on a page. @param bound the id where the page begins. */
  #rows(
    pages: OrderPages,
    { accountId, status, limit }: Pick<AllOrdersFilter, 'accountId' | 'status' | 'limit'>,
    bound: number,
  ): Awaitable<OrderRow[]> {
    const { all, byStatus } = accountId === undefined ? pages.ofAll : pages.ofAccount;
    const account = accountId === undefined ? [] : [accountId];
    return status === undefined
      ? this.#access.rows(all, ...account, bound, limit + 1)
      : this.#access.rows(byStatus, ...account, status, bound, limit + 1);
  }

  async get(accountId: string, id: number): Promise<Order | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.#access.rows(ONE, accountId, id);
    return row && orderFrom(row);
  }

  async latestFor(accountId: string, petId: number): Promise<Order | undefined> {
    const [row] = await this.#access.rows(LATEST_FOR_PET, accountId, petId);
    return row && orderFrom(row);
  }

  async create(order: NewOrder, now: Instant, key?: string): Promise<CreateOrderOutcome> {
    const creation = { order, key, now: now.wall };
    if (key === undefined) return this.#create(creation);
    const { accountId } = order;
    return this.#inFlight.create({ accountId, key }, () => this.#create(creation));
  }

  update(
    request: OrderChangeRequest,
    status: OrderStatus,
    now: Instant,
  ): Promise<OrderUpdateOutcome> {
    const change = this.#access.changes.updateOrder({ request, status, now: now.wall });
    return this.#change(change, ({ kind }) => kind === 'updated');
  }

  #create(creation: OrderCreation): Promise<CreateOrderOutcome> {
    const change = this.#access.changes.createOrder(creation);
    return this.#change(change, ({ kind }) => kind === 'created');
  }

  async import(orders: readonly ImportedOrder[], now: Instant): Promise<void> {
    for (const chunk of chunks(orders)) {
      const change = this.#access.changes.importOrders({ orders: chunk, now: now.wall });
      await this.#change(change, () => false);
    }
  }

  #change<Outcome>(
    change: Promise<Outcome>,
    changesPets: (outcome: Outcome) => boolean,
  ): Promise<Outcome> {
    const { watchChanges = unwatched, pets } = this.#options;
    return applied(pets, watchChanges(change), changesPets);
  }

  async listAll(filter: AllOrdersFilter): Promise<OrderPage<AccountOrder>> {
    return pageOf(
      await this.#rows(ASCENDING, filter, filter.after),
      filter.limit,
      accountOrderFrom,
    );
  }

  async latest(filter: LatestOrdersFilter): Promise<OrderPage<AccountOrder>> {
    const { before = Number.MAX_SAFE_INTEGER, limit } = filter;
    return pageOf(await this.#rows(DESCENDING, filter, before), limit, accountOrderFrom);
  }

  async activity(accountId: string): Promise<OrderActivity> {
    const { orders } = await this.latest({ accountId, limit: ACTIVITY_LENGTH });
    const open = await this.#access.rows(LATEST_OPEN, accountId, ACTIVITY_LENGTH);
    return [...orders, ...open.map(orderFrom)].map(({ id, status }) => ({ id, status }));
  }

  async find(id: number): Promise<AccountOrder | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.#access.rows(BY_ID, id);
    return row && accountOrderFrom(row);
  }

  async deleteAll(accountId: string): Promise<void> {
    const batch = { accountId, limit: DELETED_AT_ONCE };
    const { changes } = this.#access;
    const deleteBatch = () => this.#change(changes.deleteOrders(batch), (deleted) => deleted > 0);
    while ((await deleteBatch()) === DELETED_AT_ONCE);
  }

  async accountsWith(
    which: 'open' | 'all',
    after: string,
    limit: number,
  ): Promise<readonly string[]> {
    const rows = await this.#access.rows(ACCOUNTS[which], after, limit);
    return rows.map(({ account_id }) => account_id);
  }

  async forgetRequests(accountId: string, since: number): Promise<void> {
    await this.#access.run(FORGET, accountId, since);
  }

  async pruneRequests(now: Instant): Promise<void> {
    for (;;) {
      const expired = await this.#access.rows(FIRST_EXPIRED, now.wall - IDEMPOTENCY_TTL);
      const last = expired.at(-1);
      if (!last) return;
      await this.#access.run(PRUNE, last.created_at);
    }
  }
}

type OrderPages = ReturnType<typeof pagesWhere>;

/** The statements for pages of orders. @param rest selects the part of the list, and sorts it. */
function pagesWhere(rest: string) {
  return {
    ofAccount: {
      all: selectOrders(`WHERE account_id = ? AND ${rest}`),
      byStatus: selectOrders(`WHERE account_id = ? AND status = ? AND ${rest}`),
    },
    ofAll: {
      all: selectOrders(`WHERE ${rest}`),
      byStatus: selectOrders(`WHERE status = ? AND ${rest}`),
    },
  };
}

/** A page from one more order than requested, which shows whether this is the last page. */
function pageOf<Listed extends Order>(
  rows: readonly OrderRow[],
  limit: number,
  read: (row: OrderRow) => Listed,
): OrderPage<Listed> {
  return { orders: rows.slice(0, limit).map(read), more: rows.length > limit };
}
