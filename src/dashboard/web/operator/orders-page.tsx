import { Button, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Environment } from '../../../core/environments.ts';
import type { OperatorOrderInfo, OperatorOrderPage } from '../../shared/orders.ts';
import { call } from '../api.ts';
import { PageLink } from '../common/page-link.tsx';
import { StackedHead } from '../common/stacked-head.tsx';
import { Empty, Failure, Pending } from '../common/states.tsx';
import { ORDER_COLUMNS, OrderCells } from '../orders/order-cells.tsx';
import { OrderFilters, OrderPages } from '../orders/order-filters.tsx';
import { type OrderView, requestQuery, useOrderView } from '../orders/order-view.ts';
import { type OperatorAction, useActionDialog } from './operator-actions.tsx';
import { OperatorPage } from './operator-page.tsx';

/** The orders of all accounts, each open one with a button to cancel it. */
export default function OperatorOrdersPage() {
  return (
    <OperatorPage
      title="All orders"
      description="The orders of all accounts. An order that is placed or approved reserves its animal; cancelling it frees the animal."
    >
      <Orders />
    </OperatorPage>
  );
}

function Orders() {
  const [view, changeView] = useOrderView();
  // Receives the focus when the focused button disappears.
  const place = useRef<HTMLDivElement>(null);
  const { environment, status, before } = view;
  const found = useQuery({
    queryKey: ['operator', 'orders', environment, status, before],
    queryFn: () =>
      call<OperatorOrderPage>('GET', `/operator/${environment}/orders${requestQuery(view)}`),
    placeholderData: (former, query) => (query?.queryKey[2] === environment ? former : undefined),
  });
  const cancellations = found.data?.orders.filter(isCancellable) ?? [];
  const [dialog, ask] = useActionDialog(
    cancellations.map((order) => cancellationOf(order, environment)),
    () => place.current?.focus(),
  );
  return (
    <Stack gap="xl" ref={place} tabIndex={-1}>
      <OrderFilters view={view} onChange={changeView} />
      {found.data ? (
        <>
          {found.error && <Failure error={found.error} retry={found.refetch} />}
          <Found view={view} orders={found.data.orders} ask={ask} />
          <OrderPages view={view} next={found.data.next} />
        </>
      ) : (
        <Pending query={found} label="Loading orders" height={320} />
      )}
      {dialog}
    </Stack>
  );
}

interface FoundProps {
  readonly view: OrderView;
  readonly orders: readonly OperatorOrderInfo[];
  readonly ask: (action: OperatorAction) => void;
}

function Found({ view, orders, ask }: FoundProps) {
  if (orders.length === 0) {
    return (
      <Empty title={`No such orders in ${view.environment}`}>
        Orders appear here when customers place them. Another filter may show some.
      </Empty>
    );
  }
  return (
    <Table className="stacked orders" role="table" verticalSpacing="sm" aria-label="Orders">
      <StackedHead columns={[...ORDER_COLUMNS, 'Account', 'Change']} />
      <Table.Tbody role="rowgroup">
        {orders.map((order) => (
          <Table.Tr key={order.id} role="row">
            <OrderCells order={order} environment={view.environment} />
            <Table.Td role="cell" data-label="Account">
              <PageLink
                href={`/operator/accounts/${order.accountId}`}
                size="sm"
                className="address"
              >
                {order.email ?? order.accountId}
              </PageLink>
            </Table.Td>
            <Table.Td role="cell" data-label="Change">
              {isCancellable(order) ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Cancel order ${order.id}`}
                  onClick={() => ask(cancellationOf(order, view.environment))}
                >
                  Cancel
                </Button>
              ) : (
                'Ended'
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function isCancellable({ nextStatuses }: OperatorOrderInfo): boolean {
  return nextStatuses.includes('cancelled');
}

function cancellationOf(order: OperatorOrderInfo, environment: Environment): OperatorAction {
  const { id, petId, accountId, email } = order;
  return {
    id: `cancel ${environment} ${id}`,
    title: 'Cancel order',
    question: `Cancel order ${id}?`,
    text: `Order ${id} of ${email ?? accountId} in ${environment} ends for good, and animal ${petId} is available again. The audit log will show that you cancelled it.`,
    keep: 'Keep order',
    path: `/${environment}/orders/${id}/cancel`,
    done: `Order ${id} is cancelled. Animal ${petId} is available.`,
    isDangerous: true,
  };
}
