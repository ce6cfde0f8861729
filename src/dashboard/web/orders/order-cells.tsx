import { Badge, Table, Text } from '@mantine/core';
import type { OrderStatus } from '../../../core/orders/orders.ts';
import type { OrderInfo } from '../../shared/orders.ts';
import { Time } from '../common/time.tsx';
import './orders.css';

const COLORS = {
  placed: 'yellow',
  approved: 'accent',
  delivered: 'gray',
  cancelled: 'gray',
} as const satisfies Record<OrderStatus, string>;

/** The names of the columns of `OrderCells`. */
export const ORDER_COLUMNS = ['Order', 'Animal', 'Status', 'Placed'] as const;

/** The cells of a row that every list of orders has. */
export function OrderCells({ order }: { readonly order: OrderInfo }) {
  const { id, petId, petName, status, createdAt, updatedAt } = order;
  return (
    <>
      <Table.Td role="cell" data-label="Order">
        {id}
      </Table.Td>
      <Table.Td role="cell" data-label="Animal" className="order-animal">
        <div>
          <Text
            size="sm"
            fw={600}
            className="address order-name"
            dir="auto"
            title={petName ?? undefined}
          >
            {petName ?? 'Deleted'}
          </Text>
          <Text size="xs" c="dimmed">
            {`animal ${petId}`}
          </Text>
        </div>
      </Table.Td>
      <Table.Td role="cell" data-label="Status">
        <Badge
          // Keyed by status, so that the text of the badge does not animate.
          key={status}
          className="badge"
          variant={status === 'delivered' || status === 'cancelled' ? 'default' : 'light'}
          color={COLORS[status]}
        >
          {status}
        </Badge>
      </Table.Td>
      <Table.Td role="cell" data-label="Placed">
        <div>
          <Time at={createdAt} />
          {updatedAt !== createdAt && (
            <Text size="xs" c="dimmed">
              changed <Time at={updatedAt} />
            </Text>
          )}
        </div>
      </Table.Td>
    </>
  );
}
