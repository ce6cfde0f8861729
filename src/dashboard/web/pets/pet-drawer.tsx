import { Group, Stack, Text, Title } from '@mantine/core';
import type { Environment } from '../../../core/environments.ts';
import { isOpen } from '../../../core/orders/orders.ts';
import { PET_TRANSITIONS } from '../../../core/pets/pet-changes.ts';
import { indentJson, writeExactly } from '../../../lib/exact-json.ts';
import { failedWith } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Code } from '../common/copy.tsx';
import { OpenedDrawer } from '../common/opened-drawer.tsx';
import { PageLink } from '../common/page-link.tsx';
import { Empty, Failure, Pending } from '../common/states.tsx';
import { Unless, useSuspension } from '../common/suspension.tsx';
import { orderAddress } from '../orders/order-view.ts';
import { useChangePet, useOrderPet, usePet } from './pet-calls.ts';
import { PetChanges } from './pet-changes.tsx';
import { PetOwner, PetStatusBadge } from './pet-owner.tsx';
import {
  type OpenedPetProps,
  type PetProps,
  Section,
  useRefusal,
  useServed,
} from './pet-section.tsx';
import { PetCalls } from './same-pet-calls.tsx';

interface PetDrawerProps {
  readonly environment: Environment;
  /** Of the animal, as in the address of the page; empty while the drawer is closed. */
  readonly id: string;
  onClose(): void;
}

/** One animal, with all that can be done about it. */
export function PetDrawer({ environment, id, onClose }: PetDrawerProps) {
  return (
    <OpenedDrawer
      isOpen={id !== ''}
      title={`Animal ${id}`}
      closer="Close the animal"
      onClose={onClose}
    >
      {id !== '' && <Found key={id} environment={environment} id={id} onClose={onClose} />}
    </OpenedDrawer>
  );
}

function Found({ environment, id, onClose }: PetDrawerProps) {
  const pet = usePet(environment, id);
  if (failedWith(pet.error, 'pet_not_found')) {
    return (
      <Empty title={`No animal in ${environment} has this id`}>
        It was deleted, or no animal had this id.
      </Empty>
    );
  }
  if (!pet.data) return <Pending query={pet} label="Loading the animal" height={480} />;
  return <Detail environment={environment} pet={pet.data} onClose={onClose} />;
}

function Detail({ environment, pet, onClose }: OpenedPetProps) {
  const { id, name, categoryId, status, owner } = pet;
  const isServed = useServed();
  const json = writeExactly({ id, name, categoryId: BigInt(categoryId), status });
  return (
    <Stack gap="lg">
      <Title order={2} size="h3" className="whole-name" dir="auto">
        {name}
      </Title>
      <Group gap="xs">
        <PetStatusBadge status={status} />
        <PetOwner owner={owner} />
      </Group>
      {isServed('updatePet') && <Statuses environment={environment} pet={pet} />}
      {isServed('createOrder') && <Ordering environment={environment} pet={pet} />}
      {(isServed('updatePet') || isServed('deletePet')) && (
        <PetChanges environment={environment} pet={pet} onClose={onClose} />
      )}
      <PetCalls environment={environment} pet={pet} />
      <Section title="As JSON">
        <Code value={indentJson(json)} label="the JSON" />
      </Section>
    </Stack>
  );
}

const ORDERED = 'An order for it is open: its status follows the order until that ends.';

const UNAVAILABLE = {
  pending: 'It is pending, and only an available animal can be ordered.',
  sold: 'It is sold, and only an available animal can be ordered.',
} as const;

/** The next statuses, as buttons. */
function Statuses({ environment, pet }: PetProps) {
  const refusal = useRefusal(pet);
  const { mutate, isPending, error } = useChangePet(environment, pet.id);
  return (
    <Section title="Status">
      <Unless reason={refusal ?? (pet.isReserved ? ORDERED : undefined)}>
        <Group gap="xs">
          {PET_TRANSITIONS[pet.status].map((status) => (
            <ActionButton
              key={status}
              variant="default"
              isBusy={isPending}
              onClick={() => mutate({ status })}
            >
              {`Set to ${status}`}
            </ActionButton>
          ))}
        </Group>
      </Unless>
      {error && <Failure error={error} />}
    </Section>
  );
}

/** The latest order of the reader for the animal, and a button that places one unless it is open. */
function Ordering({ environment, pet }: PetProps) {
  const suspension = useSuspension();
  const { mutate, isPending, error } = useOrderPet(environment, pet.id);
  const { order, status } = pet;
  return (
    <Section title="Order">
      {order && (
        <Text size="sm">
          {`Your order ${order.id} for it is ${order.status}. `}
          <PageLink inherit href={orderAddress(environment, order.id)}>
            {`See order ${order.id}`}
          </PageLink>
        </Text>
      )}
      {(!order || !isOpen(order.status)) && (
        <Unless reason={suspension ?? (status === 'available' ? undefined : UNAVAILABLE[status])}>
          <ActionButton variant="default" isBusy={isPending} onClick={() => mutate()}>
            Order it
          </ActionButton>
        </Unless>
      )}
      {error && <Failure error={error} />}
    </Section>
  );
}
