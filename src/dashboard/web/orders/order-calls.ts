import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Environment } from '../../../core/environments.ts';
import type { OrderStatus } from '../../../core/orders/orders.ts';
import type { OrderInfo, OrderPageInfo } from '../../shared/orders.ts';
import { CallError, call, useAction } from '../api.ts';
import { type OrderView, requestQuery } from './order-view.ts';

const ORDERS = ['orders'] as const;

/** The account's orders of a view, the newest first. */
export function useOrders(view: OrderView) {
  const { environment } = view;
  return useQuery({
    queryKey: [...ORDERS, environment, view.status, view.before],
    queryFn: () => call<OrderPageInfo>('GET', `/${environment}/orders${requestQuery(view)}`),
    // The current list stays until the next one is loaded, unless it is of the other environment.
    placeholderData: (before, query) => (query?.queryKey[1] === environment ? before : undefined),
  });
}

/** One order. @param id as in the address of the page; empty for none. */
export function useOrder(environment: Environment, id: string) {
  return useQuery({
    queryKey: [...ORDERS, environment, 'one', id],
    queryFn: () => call<OrderInfo>('GET', `/${environment}/orders/${encodeURIComponent(id)}`),
    enabled: id !== '',
  });
}

interface StatusChange {
  readonly order: OrderInfo;
  readonly status: OrderStatus;
}

/** Gives an order its next status. @param onDone called when the page is up to date. */
export function useStatusChange(environment: Environment, onDone?: (order: OrderInfo) => void) {
  const client = useQueryClient();
  return useAction({
    mutationFn: ({ order, status }: StatusChange) =>
      call<OrderInfo>('PUT', `/${environment}/orders/${order.id}`, { status }),
    async onSettled(changed) {
      // Also after a failure, because an outdated list may be the reason.
      await client.invalidateQueries({ queryKey: ORDERS });
      if (changed) onDone?.(changed);
    },
  });
}

/** What became of an order for an animal that is ordered already. */
export type SecondOrder =
  | { readonly reply: Pick<CallError, 'status' | 'code' | 'message'> }
  /** The animal had become available again. */
  | { readonly made: OrderInfo };

/** Orders the animal of an open order once more. */
export function useSecondOrder(environment: Environment) {
  const client = useQueryClient();
  return useAction({
    async mutationFn({ petId }: OrderInfo): Promise<SecondOrder> {
      try {
        return { made: await call<OrderInfo>('POST', `/${environment}/orders`, { petId }) };
      } catch (error) {
        if (!(error instanceof CallError) || error.code !== 'pet_unavailable') throw error;
        const { status, code, message } = error;
        return { reply: { status, code, message } };
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ORDERS }),
  });
}
