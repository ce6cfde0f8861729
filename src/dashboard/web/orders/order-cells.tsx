import { Badge, Table, Text } from '@mantine/core';
import type { Environment } from '../../../core/environments.ts';
import type { OrderStatus } from '../../../core/orders/orders.ts';
import type { OrderInfo } from '../../shared/orders.ts';
import { OpenLink } from '../common/open-link.tsx';
import { PageLink } from '../common/page-link.tsx';
import { Time } from '../common/time.tsx';
import { petsAddress } from '../pets/pets-view.ts';
import { orderAddress } from './order-view.ts';
import './orders.css';

const COLORS = {
  placed: 'yellow',
  approved: 'accent',
  delivered: 'gray',
  cancelled: 'gray',
} as const satisfies Record<OrderStatus, string>;

/** The names of the columns of `OrderCells`. */
export const ORDER_COLUMNS = ['Order', 'Animal', 'Status', 'Placed'] as const;

interface OrderCellsProps {
  readonly order: OrderInfo;
  readonly environment: Environment;
  /** Opens it, where it is the reader's. */
  readonly onOpen?: () => void;
}

/** The cells of a row that every list of orders has. */
export function OrderCells({ order, environment, onOpen }: OrderCellsProps) {
  const { id, petId, petName, status, createdAt, updatedAt } = order;
  return (
    <>
      <Table.Td role="cell" data-label="Order">
        {onOpen ? (
          <OpenLink
            href={orderAddress(environment, id)}
            inherit
            onOpen={onOpen}
            aria-label={`Order ${id}`}
          >
            {id}
          </OpenLink>
        ) : (
          id
        )}
      </Table.Td>
      <Table.Td role="cell" data-label="Animal" className="order-animal">
        <div>
          {petName === null ? (
            <Text size="sm">Deleted</Text>
          ) : (
            <PageLink
              href={petsAddress({ environment, animal: String(petId) })}
              size="sm"
              fw={600}
              className="address clamped-name"
              dir="auto"
              title={petName}
            >
              {petName}
            </PageLink>
          )}
          <Text size="xs" c="dimmed">
            {`animal ${petId}`}
          </Text>
        </div>
      </Table.Td>
      <Table.Td role="cell" data-label="Status">
        <OrderStatusBadge status={status} />
      </Table.Td>
      <Table.Td role="cell" data-label="Placed">
        <div>
          <Time at={createdAt} />
          {updatedAt !== createdAt && (
            <Text size="xs" c="dimmed">
              changed
              <br />
              <Time at={updatedAt} />
            </Text>
          )}
        </div>
      </Table.Td>
    </>
  );
}

export function OrderStatusBadge({ status }: Pick<OrderInfo, 'status'>) {
  return (
    <Badge
      // Keyed by status, so that the text of the badge does not animate.
      key={status}
      // As wide as the longest, so that a change moves nothing.
      w={96}
      className="badge"
      variant={status === 'delivered' || status === 'cancelled' ? 'default' : 'light'}
      color={COLORS[status]}
    >
      {status}
    </Badge>
  );
}
