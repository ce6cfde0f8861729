import type { OrderStatus } from '../../core/orders/orders.ts';

/* Orders of animals, for each environment at /api/production/orders and /api/staging/orders. They follow the rules of
   the public API and have its error codes, but count towards none of its limits. Absent where the operation `listOrders`
   is not served. Times are epoch ms on the account's clock. */

/**
 * GET /api/{environment}/orders -> OrderPageInfo of the account, the newest first. `status` selects those with this
 * status; `before` is the `next` of the page before.
 */
export interface OrderPageInfo {
  /** At most 25. */
  readonly orders: readonly OrderInfo[];
  /** Where earlier orders begin; `null` on the last page. */
  readonly next: number | null;
}

/**
 * POST /api/{environment}/orders { petId } -> 201 OrderInfo; 404 `pet_not_found`, 409 `pet_unavailable`.
 * GET /api/{environment}/orders/{id} -> OrderInfo; 404 `not_found`.
 * PUT /api/{environment}/orders/{id} { status } -> 200 OrderInfo; 404 `not_found`, 409 `invalid_transition`.
 */
export interface OrderInfo {
  readonly id: number;
  readonly petId: number;
  /** The name of the animal; `null` if it was deleted after the order ended. */
  readonly petName: string | null;
  readonly status: OrderStatus;
  readonly createdAt: number;
  /** When its status changed last. */
  readonly updatedAt: number;
  /** The statuses that may follow; none if the order has ended. */
  readonly nextStatuses: readonly OrderStatus[];
}

/**
 * GET /api/operator/{environment}/orders -> OperatorOrderPage: the orders of all accounts, with the same parameters, also
 * where the public API serves no orders. POST /api/operator/{environment}/orders/{id}/cancel -> 204 cancels an open one;
 * 409 if it has ended. Requires a recent sign-in.
 */
export interface OperatorOrderPage {
  /** At most 25. */
  readonly orders: readonly OperatorOrderInfo[];
  readonly next: number | null;
}

export interface OperatorOrderInfo extends OrderInfo {
  readonly accountId: string;
  /** The address of its account; `null` if the account is being deleted. */
  readonly email: string | null;
}
