import { Button, Group, Stack, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Environment } from '../../../core/environments.ts';
import type { PetPageInfo } from '../../shared/pets.ts';
import { SAMPLES } from '../../shared/pets.ts';
import { ActionButton } from '../common/action-button.tsx';
import { useDialog, useIsShown } from '../common/dialog.ts';
import { Page } from '../common/page.tsx';
import { PageLink } from '../common/page-link.tsx';
import { Empty, Failure, Pending } from '../common/states.tsx';
import { useSuspension, WhileActive } from '../common/suspension.tsx';
import { LiveMark } from '../live/live-mark.tsx';
import { AddPetDialog } from './add-pet-dialog.tsx';
import { useAddSamples, usePets } from './pet-calls.ts';
import { PetDrawer } from './pet-drawer.tsx';
import { PetFilters } from './pet-filters.tsx';
import { PetTable } from './pet-table.tsx';
import { type PetsView, petsAddress, usePetsView } from './pets-view.ts';
import './pets.css';

/** The animals of an environment, whosever they are. */
export default function PetsPage() {
  const { view, change, open, close } = usePetsView();
  const pets = usePets(view);
  const adding = useDialog('add');
  const isAdding = useIsShown(adding, useSuspension() === undefined);
  return (
    <Page
      title="Animals"
      description="All animals of an environment, the newest first, as they are now. What you do here does not count towards your plan."
      actions={
        <Group gap="md">
          <LiveMark isLoaded={pets.isSuccess && !pets.isPlaceholderData} />
          <Additions environment={view.environment} onAdd={() => adding.open('animal')} />
        </Group>
      }
    >
      <PetFilters view={view} onChange={change} />
      <Stack gap="lg" className="pet-list">
        {pets.data && pets.error && <Failure error={pets.error} retry={pets.refetch} />}
        {pets.data ? (
          <Found page={pets.data} view={view} onOpen={open} onClear={change} />
        ) : (
          <Pending query={pets} label="Loading the animals" height={420} />
        )}
      </Stack>
      <AddPetDialog
        key={adding.key}
        environment={view.environment}
        isOpen={isAdding}
        onClose={adding.close}
        onAdded={({ id }) => {
          adding.close();
          open(id);
        }}
      />
      <PetDrawer environment={view.environment} id={view.animal} onClose={close} />
    </Page>
  );
}

/** The buttons that add animals. */
function Additions({ environment, onAdd }: { environment: Environment; onAdd: () => void }) {
  const [added, tell] = useState('');
  const { mutate, isPending, error } = useAddSamples(({ added: count }) =>
    tell(`${count} animals were added to staging.`),
  );
  return (
    <WhileActive>
      <Group gap="sm">
        {environment === 'staging' && (
          <ActionButton variant="default" isBusy={isPending} onClick={() => mutate()}>
            {`Add ${SAMPLES} samples`}
          </ActionButton>
        )}
        <Button onClick={onAdd}>Add an animal</Button>
      </Group>
      <VisuallyHidden role="status">{added}</VisuallyHidden>
      {error && <Failure error={error} />}
    </WhileActive>
  );
}

interface FoundProps {
  readonly page: PetPageInfo;
  readonly view: PetsView;
  readonly onOpen: (id: number) => void;
  readonly onClear: (changed: Partial<PetsView>) => void;
}

function Found({ page: { pets, next }, view, onOpen, onClear }: FoundProps) {
  return (
    <>
      {pets.length > 0 ? (
        <PetTable
          pets={pets}
          addressOf={({ id }) => petsAddress({ ...view, animal: String(id) })}
          onOpen={({ id }) => onOpen(id)}
        />
      ) : (
        <Nothing view={view} onClear={onClear} />
      )}
      <Group component="nav" justify="space-between" aria-label="Pages of the list">
        {view.before === '' ? (
          <span />
        ) : (
          <PageButton address={petsAddress({ ...view, before: '', animal: '' })}>
            Newest animals
          </PageButton>
        )}
        {next !== null && (
          <PageButton address={petsAddress({ ...view, before: String(next), animal: '' })}>
            Older animals
          </PageButton>
        )}
      </Group>
    </>
  );
}

function PageButton({ address, children }: { address: string; children: ReactNode }) {
  return (
    <Button component={Link} href={address} variant="default">
      {children}
    </Button>
  );
}

function Nothing({ view, onClear }: Pick<FoundProps, 'view' | 'onClear'>) {
  const { environment, status, id, before } = view;
  if (status !== '' || id !== '') {
    return (
      <Empty title={id === '' ? `No animal is ${status}` : 'No such animal'}>
        {`Production and staging have separate animals. `}
        <Button variant="default" size="xs" mt="sm" onClick={() => onClear({ status: '', id: '' })}>
          Show all animals
        </Button>
      </Empty>
    );
  }
  if (before !== '') return <Empty title="No older animals">Go back to the newest ones.</Empty>;
  return (
    <Empty title={`No animals in ${environment} yet`}>
      {environment === 'staging' ? (
        `Add ${SAMPLES} samples to try things with, or add an animal of your own. Both belong to you.`
      ) : (
        <>
          Add an animal, here or with POST /pets. To try things,{' '}
          <PageLink href={petsAddress({ environment: 'staging' })} inherit>
            use staging
          </PageLink>
          .
        </>
      )}
    </Empty>
  );
}
