import { orderRefusal, orderUpdateRefusal } from '../../api/orders/handlers.ts';
import { OrderPatch, OrderRequest } from '../../api/orders/schemas.ts';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { ORDER_TRANSITIONS } from '../../core/orders/order-changes.ts';
import type { OrderPage } from '../../core/orders/order-store.ts';
import { ORDER_STATUSES, type Order } from '../../core/orders/orders.ts';
import type { PetStore } from '../../core/pets/pet-store.ts';
import { accountTime } from '../../core/sandbox/account-clock.ts';
import { toInt64 } from '../../lib/int64.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import type { OrderInfo, OrderPageInfo } from '../shared/orders.ts';
import { choiceIn, idIn, positionIn } from './query.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

/** Orders on one page. The animal of each is looked up by its id. */
export const ORDERS_ON_PAGE = 25;

const readOrder = bodyReader(OrderRequest, {});
const readOrderPatch = bodyReader(OrderPatch, {});

/** The orders of the account that is signed in, in each environment. */
export const orderRoutes: readonly Route[] = ENVIRONMENTS.flatMap((environment): Route[] => {
  const path = `/${environment}/orders`;
  const access = 'account';
  const inEnvironment = (handle: Handle) => (context: AccountContext) =>
    handle(context, environment);
  return [
    { method: 'GET', path, access, operation: 'listOrders', handle: inEnvironment(list) },
    { method: 'POST', path, access, operation: 'createOrder', handle: inEnvironment(create) },
    {
      ...{ method: 'GET', path: `${path}/{id}`, access, operation: 'getOrder' },
      handle: inEnvironment(show),
    },
    {
      ...{ method: 'PUT', path: `${path}/{id}`, access, operation: 'updateOrder' },
      handle: inEnvironment(update),
    },
  ];
});

type Handle = (context: AccountContext, environment: Environment) => Promise<Response>;

async function list(
  { options, account, query }: AccountContext,
  environment: Environment,
): Promise<Response> {
  const { orders, pets } = options.stores.environment(environment);
  const page = await orders.latest({ accountId: account.id, ...orderFilterIn(query) });
  return json<OrderPageInfo>(200, {
    orders: await orderInfos(
      page.orders.map(({ accountId: _, ...order }) => order),
      pets,
    ),
    next: nextOf(page),
  });
}

/** Where the page after this one begins; `null` after the last one. */
export function nextOf({ orders, more }: OrderPage): number | null {
  return more ? (orders.at(-1)?.id ?? null) : null;
}

/** The page of a list of orders that a query asks for. @throws ApiError `invalid` */
export function orderFilterIn(query: URLSearchParams) {
  const status = choiceIn(query, 'status', ORDER_STATUSES);
  return { status, before: positionIn(query, 'before'), limit: ORDERS_ON_PAGE };
}

async function create(context: AccountContext, environment: Environment): Promise<Response> {
  const { options, account, request } = context;
  const { orders, pets } = options.stores.environment(environment);
  const petId = toInt64((await readOrder(request)).petId);
  const now = await timeOf(context, environment);
  const outcome = await orders.create({ accountId: account.id, petId }, now);
  switch (outcome.kind) {
    case 'created':
      return json<OrderInfo>(201, await orderInfo(outcome.order, pets));
    case 'pet_not_found':
    case 'pet_unavailable':
      throw orderRefusal(outcome, petId);
    default:
      throw new Error(`An order without an idempotency key was ${outcome.kind}.`);
  }
}

async function show(context: AccountContext, environment: Environment): Promise<Response> {
  const { orders, pets } = context.options.stores.environment(environment);
  const id = idIn(context);
  const order = id === undefined ? undefined : await orders.get(context.account.id, id);
  if (!order) throw unknownOrder();
  return json<OrderInfo>(200, await orderInfo(order, pets));
}

async function update(context: AccountContext, environment: Environment): Promise<Response> {
  const { options, account, request } = context;
  const { orders, pets } = options.stores.environment(environment);
  const { status } = await readOrderPatch(request);
  const id = idIn(context);
  if (id === undefined) throw unknownOrder();
  const now = await timeOf(context, environment);
  const outcome = await orders.update({ id, accountId: account.id }, status, now);
  if (outcome.kind === 'not_found') throw unknownOrder();
  if (outcome.kind !== 'updated') throw orderUpdateRefusal(outcome, id);
  return json<OrderInfo>(200, await orderInfo(outcome.order, pets));
}

/** Both for another account's order and for an unknown id. */
function unknownOrder() {
  return new DashboardError('not_found', 'You have no order with this id.');
}

function timeOf({ options, account }: AccountContext, environment: Environment) {
  const { clock, stores } = options;
  return accountTime(stores.sandboxes, { accountId: account.id, environment }, clock.now());
}

/** Orders with their animals, as the dashboard shows them. */
export async function orderInfos<Listed extends Order>(
  orders: readonly Listed[],
  pets: Pick<PetStore, 'get'>,
): Promise<Array<OrderInfo & Listed>> {
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  const found = await Promise.all(ids.map((id) => pets.get(id)));
  const nameOf = new Map(found.flatMap((pet) => (pet ? [[pet.id, pet.name]] : [])));
  return orders.map((order) => ({
    ...order,
    petName: nameOf.get(order.petId) ?? null,
    nextStatuses: ORDER_TRANSITIONS[order.status],
  }));
}

async function orderInfo(order: Order, pets: Pick<PetStore, 'get'>): Promise<OrderInfo> {
  const [info] = await orderInfos([order], pets);
  if (!info) throw new Error(`Order ${order.id} is missing.`);
  return info;
}
