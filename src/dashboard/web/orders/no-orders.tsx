import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useSession } from '../api.ts';
import { Code } from '../common/copy.tsx';
import { curlCall } from '../common/curl-call.ts';
import { PageLink } from '../common/page-link.tsx';
import { Empty } from '../common/states.tsx';
import { basePath } from '../page-settings.ts';
import { petsAddress } from '../pets/pets-view.ts';
import type { OrderView } from './order-view.ts';

const FIRST_ORDER = { operation: 'createOrder', body: { petId: 1 } } as const;

/** Says what to do where no orders are listed. */
export function NoOrders({ view: { environment, status, before } }: { readonly view: OrderView }) {
  const { data } = useSession();
  if (before !== '') {
    return <Empty title="No earlier orders">The latest ones are on the first page.</Empty>;
  }
  if (status !== '') {
    return <Empty title={`No order is ${status}`}>Choose another status, or all.</Empty>;
  }
  return (
    <Stack className="empty" align="center" gap="md" py={48} px="md">
      <Title order={2} size="h4" ta="center">
        {`No orders in ${environment} yet`}
      </Title>
      <Text size="sm" c="dimmed" ta="center">
        Order an available animal on the page{' '}
        <PageLink href={petsAddress({ environment, status: 'available' })} inherit>
          Animals
        </PageLink>
        , or with a {environment} key. The guide{' '}
        <Anchor href={`${basePath}/docs/guides/orders`} inherit underline="always">
          Orders
        </Anchor>{' '}
        shows every step.
      </Text>
      {data && (
        <div className="order-example">
          <Code
            label="the request"
            value={curlCall(environment, data.addresses[environment], FIRST_ORDER)}
          />
        </div>
      )}
    </Stack>
  );
}
