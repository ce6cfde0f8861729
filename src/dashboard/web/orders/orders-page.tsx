import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import type { OrderInfo } from '../../shared/orders.ts';
import { useDialog } from '../common/dialog.ts';
import { focusOrContent } from '../common/focus.ts';
import { Page } from '../common/page.tsx';
import { Failure, Pending } from '../common/states.tsx';
import { WhileActive } from '../common/suspension.tsx';
import { LiveMark } from '../live/live-mark.tsx';
import { NoOrders } from './no-orders.tsx';
import { useOrders, useSecondOrder, useStatusChange } from './order-calls.ts';
import { OrderDrawer } from './order-drawer.tsx';
import { OrderFilters, OrderPages } from './order-filters.tsx';
import { OrderTable, orderRowId } from './order-table.tsx';
import { type OrderView, useOrderView } from './order-view.ts';
import { SecondOrderDialog } from './second-order-dialog.tsx';

/** The account's orders of animals, and their next steps. */
export default function OrdersPage() {
  const [view, changeView] = useOrderView();
  const orders = useOrders(view);
  const opened = useDialog('order');
  return (
    <Page
      title="Orders"
      description="The animals that your account has ordered, here or with its keys. An order that is placed or approved reserves its animal."
      actions={<LiveMark isLoaded={orders.isSuccess && !orders.isPlaceholderData} />}
    >
      <OrderFilters view={view} onChange={changeView} />
      {orders.data && orders.error && <Failure error={orders.error} retry={orders.refetch} />}
      {orders.data ? (
        <Orders
          key={view.environment}
          view={view}
          orders={orders.data.orders}
          onOpen={opened.open}
        />
      ) : (
        <Pending query={orders} label="Loading your orders" height={320} />
      )}
      {orders.data && <OrderPages view={view} next={orders.data.next} />}
      <OrderDrawer
        environment={view.environment}
        id={opened.isOpen ? opened.subject : ''}
        onClose={opened.close}
      />
    </Page>
  );
}

interface OrdersProps {
  readonly view: OrderView;
  readonly orders: readonly OrderInfo[];
  readonly onOpen: (id: string) => void;
}

/** The list of orders, with the actions on them. */
function Orders({ view, orders, onOpen }: OrdersProps) {
  const [first, setFirst] = useState<OrderInfo>();
  const second = useSecondOrder(view.environment);
  const change = useStatusChange(view.environment, ({ id, status }) => {
    notifications.show({ message: `Order ${id} is ${status}.` });
    // The button that was pressed has disappeared.
    focusOrContent(orderRowId(id));
  });
  return (
    <>
      {change.error && <Failure error={change.error} />}
      {orders.length === 0 ? (
        <NoOrders view={view} />
      ) : (
        <WhileActive>
          <OrderTable
            environment={view.environment}
            orders={orders}
            onOpen={({ id }) => onOpen(String(id))}
            onStep={(order, status) => change.mutate({ order, status })}
            onSecondOrder={(order) => {
              second.reset();
              setFirst(order);
              second.mutate(order);
            }}
          />
        </WhileActive>
      )}
      <SecondOrderDialog
        first={first}
        outcome={second.data}
        error={second.error}
        onClose={() => setFirst(undefined)}
      />
    </>
  );
}
