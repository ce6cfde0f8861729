import { Button, Group, Table } from '@mantine/core';
import type { Environment } from '../../../core/environments.ts';
import type { OrderStatus } from '../../../core/orders/orders.ts';
import type { OrderInfo } from '../../shared/orders.ts';
import { useFocusAfterwards } from '../common/focus.ts';
import { StackedHead } from '../common/stacked-head.tsx';
import { ORDER_COLUMNS, OrderCells } from './order-cells.tsx';
import { STEPS } from './order-steps.ts';

interface OrderTableProps {
  readonly environment: Environment;
  readonly orders: readonly OrderInfo[];
  readonly onOpen: (order: OrderInfo) => void;
  readonly onStep: (order: OrderInfo, status: OrderStatus) => void;
  readonly onSecondOrder: (order: OrderInfo) => void;
}

/** The account's orders, each with its next steps. */
export function OrderTable({ orders, ...others }: OrderTableProps) {
  return (
    <Table className="stacked orders" role="table" verticalSpacing="sm" aria-label="Your orders">
      <StackedHead columns={[...ORDER_COLUMNS, 'Next']} />
      <Table.Tbody role="rowgroup">
        {orders.map((order) => (
          <OrderRow key={order.id} order={order} {...others} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The id of the row of an order. */
export function orderRowId(id: number): string {
  return `order-${id}`;
}

interface OrderRowProps extends Omit<OrderTableProps, 'orders'> {
  readonly order: OrderInfo;
}

function OrderRow({ order, environment, onOpen, onStep, onSecondOrder }: OrderRowProps) {
  const { id, petId, nextStatuses } = order;
  // With a filter, a row disappears when its order changes.
  const row = useFocusAfterwards<HTMLTableRowElement>();
  const small = { size: 'compact-sm', variant: 'default', flex: 'none' } as const;
  return (
    <Table.Tr ref={row} role="row" id={orderRowId(id)} tabIndex={-1}>
      <OrderCells order={order} environment={environment} onOpen={() => onOpen(order)} />
      <Table.Td role="cell" data-label="Next">
        {nextStatuses.length === 0 ? (
          'Ended'
        ) : (
          <Group className="order-actions">
            {nextStatuses.map((status) => (
              <Button
                key={status}
                {...small}
                {...(status === 'cancelled' && { c: 'var(--mantine-color-error)' })}
                aria-label={`${STEPS[status]} order ${id}`}
                onClick={() => onStep(order, status)}
              >
                {STEPS[status]}
              </Button>
            ))}
            <Button
              {...small}
              aria-label={`Try a second order for animal ${petId}`}
              onClick={() => onSecondOrder(order)}
            >
              Second order
            </Button>
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
