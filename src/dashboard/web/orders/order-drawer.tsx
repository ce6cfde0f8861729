import { Group, Stack, Text } from '@mantine/core';
import type { Environment } from '../../../core/environments.ts';
import type { OrderInfo } from '../../shared/orders.ts';
import { failedWith } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { OpenedDrawer } from '../common/opened-drawer.tsx';
import { PageLink } from '../common/page-link.tsx';
import { SameCall } from '../common/same-call.tsx';
import { Empty, Failure, Pending } from '../common/states.tsx';
import { WhileActive } from '../common/suspension.tsx';
import { Time } from '../common/time.tsx';
import { Section, useServed } from '../pets/pet-section.tsx';
import { petsAddress } from '../pets/pets-view.ts';
import { useOrder, useStatusChange } from './order-calls.ts';
import { OrderStatusBadge } from './order-cells.tsx';
import { STEPS } from './order-steps.ts';

interface OrderDrawerProps {
  readonly environment: Environment;
  /** Of the order, as in the address of the page; empty while the drawer is closed. */
  readonly id: string;
  onClose(): void;
}

/** One order of the reader, with its animal and its next steps. */
export function OrderDrawer({ environment, id, onClose }: OrderDrawerProps) {
  return (
    <OpenedDrawer
      isOpen={id !== ''}
      title={`Order ${id}`}
      closer="Close the order"
      onClose={onClose}
    >
      {id !== '' && <Found key={id} environment={environment} id={id} />}
    </OpenedDrawer>
  );
}

function Found({ environment, id }: Omit<OrderDrawerProps, 'onClose'>) {
  const order = useOrder(environment, id);
  if (failedWith(order.error, 'not_found')) {
    return (
      <Empty title={`You have no order in ${environment} with this id`}>
        Orders of other accounts are not shown.
      </Empty>
    );
  }
  if (!order.data) return <Pending query={order} label="Loading the order" height={480} />;
  return <Detail environment={environment} order={order.data} />;
}

interface DetailProps {
  readonly environment: Environment;
  readonly order: OrderInfo;
}

function Detail({ environment, order }: DetailProps) {
  const { petId, petName, status, createdAt, updatedAt } = order;
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <OrderStatusBadge status={status} />
        <Text size="sm" c="dimmed">
          placed <Time at={createdAt} />
          {updatedAt !== createdAt && (
            <>
              , changed <Time at={updatedAt} />
            </>
          )}
        </Text>
      </Group>
      <Section title="Animal">
        {petName === null ? (
          <Text size="sm">{`Animal ${petId} was deleted.`}</Text>
        ) : (
          <PageLink
            href={petsAddress({ environment, animal: String(petId) })}
            className="whole-name"
            dir="auto"
          >
            {petName}
          </PageLink>
        )}
      </Section>
      <NextSteps environment={environment} order={order} />
      <Calls environment={environment} order={order} />
    </Stack>
  );
}

function NextSteps({ environment, order }: DetailProps) {
  const { mutate, isPending, error } = useStatusChange(environment);
  const { nextStatuses } = order;
  return (
    <Section title="Next">
      {nextStatuses.length === 0 ? (
        <Text size="sm">The order has ended.</Text>
      ) : (
        <WhileActive>
          <Group gap="xs">
            {nextStatuses.map((status) => (
              <ActionButton
                key={status}
                variant="default"
                {...(status === 'cancelled' && { c: 'var(--mantine-color-error)' })}
                isBusy={isPending}
                onClick={() => mutate({ order, status })}
              >
                {STEPS[status]}
              </ActionButton>
            ))}
          </Group>
        </WhileActive>
      )}
      {error && <Failure error={error} />}
    </Section>
  );
}

/** The calls of the API that show the order and take its next steps. */
function Calls({ environment, order: { id, nextStatuses } }: DetailProps) {
  const isServed = useServed();
  return (
    <Section title="The same with the API">
      <SameCall
        environment={environment}
        call={{ operation: 'getOrder', id }}
        title="Get it"
        label="the call that gets it"
      />
      {isServed('updateOrder') &&
        nextStatuses.map((status) => (
          <SameCall
            key={status}
            environment={environment}
            call={{ operation: 'updateOrder', id, body: { status } }}
            title={STEPS[status]}
            label={`the call for status ${status}`}
          />
        ))}
    </Section>
  );
}
