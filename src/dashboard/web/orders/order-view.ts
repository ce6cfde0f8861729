import { ENVIRONMENTS, type Environment } from '../../../core/environments.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../core/orders/orders.ts';
import { inAddress, queryOf, useAddress } from '../common/address.ts';

/** Which orders a page shows. */
export interface OrderView {
  readonly environment: Environment;
  /** Empty for all. */
  readonly status: OrderStatus | '';
  /** The id before which the page begins; empty for the first page. */
  readonly before: string;
}

/** The view that the page's address describes, and a function that changes it. */
export function useOrderView(): readonly [OrderView, (part: Partial<OrderView>) => void] {
  const { parameters, change } = useAddress();
  // Another filter begins with its first page.
  return [viewIn(parameters), (part) => change({ before: '', order: '', ...inAddress(part) })];
}

function viewIn(parameters: URLSearchParams): OrderView {
  const value = (name: string) => parameters.get(name) ?? '';
  return {
    environment: ENVIRONMENTS.find((each) => each === value('environment')) ?? 'production',
    status: ORDER_STATUSES.find((each) => each === value('status')) ?? '',
    before: /^[1-9]\d{0,15}$/.test(value('before')) ? value('before') : '',
  };
}

/** The query of the page's address for a view; empty for the first view. */
export function addressQuery(view: Partial<OrderView>): string {
  return queryOf(inAddress(view));
}

/** The address of an opened order of the reader. */
export function orderAddress(environment: Environment, id: number): string {
  return `/orders${queryOf({ ...inAddress({ environment }), order: String(id) })}`;
}

/** The query of the request for a view. */
export function requestQuery({ status, before }: OrderView): string {
  return queryOf({ status, before });
}
