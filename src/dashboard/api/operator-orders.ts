import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { cancelOrder } from '../../core/orders/order-cancellation.ts';
import { DashboardError } from '../errors.ts';
import type { OperatorOrderPage } from '../shared/orders.ts';
import { byId } from './by-id.ts';
import { nextOf, orderFilterIn, orderInfos } from './orders.ts';
import { idIn } from './query.ts';
import { done, json, withErrorCode } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

/** The orders of all accounts, in each environment; also where the public API serves no orders. */
export const operatorOrderRoutes: readonly Route[] = ENVIRONMENTS.flatMap(
  (environment): Route[] => {
    const path = `/operator/${environment}/orders`;
    const access = 'operator';
    return [
      {
        ...{ method: 'GET', path, access },
        handle: (context: AccountContext) => list(context, environment),
      },
      {
        ...{ method: 'POST', path: `${path}/{id}/cancel`, access, isSensitive: true },
        handle: (context: AccountContext) => cancel(context, environment),
      },
    ];
  },
);

async function list(
  { options, query }: AccountContext,
  environment: Environment,
): Promise<Response> {
  const { stores } = options;
  const { orders, pets } = stores.environment(environment);
  const page = await orders.latest(orderFilterIn(query));
  const accountOf = await byId(
    stores.accounts,
    page.orders.map(({ accountId }) => accountId),
  );
  const infos = await orderInfos(page.orders, pets);
  return json<OperatorOrderPage>(200, {
    orders: infos.map((info) => ({ ...info, email: accountOf.get(info.accountId)?.email ?? null })),
    next: nextOf(page),
  });
}

async function cancel(context: AccountContext, environment: Environment): Promise<Response> {
  const { options, account } = context;
  const { stores, clock } = options;
  const { orders } = stores.environment(environment);
  const id = idIn(context);
  if (id === undefined || !(await orders.find(id))) {
    throw new DashboardError('not_found', `No order in ${environment} has this id.`);
  }
  const cancellation = { environment, id, by: account.email, now: clock.now() };
  await withErrorCode('conflict', () => cancelOrder({ ...stores, orders }, cancellation));
  return done();
}
