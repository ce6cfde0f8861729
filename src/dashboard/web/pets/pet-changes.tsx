import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLayoutEffect, useRef } from 'react';
import { PET_TRANSITIONS } from '../../../core/pets/pet-changes.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { Unless } from '../common/suspension.tsx';
import { focusMistake } from '../sign-in/fields.tsx';
import { useChangePet, useDeletePet } from './pet-calls.ts';
import { enteredPet, PetFields, usePetForm } from './pet-fields.tsx';
import {
  type OpenedPetProps,
  type PetProps,
  Section,
  useRefusal,
  useServed,
} from './pet-section.tsx';

/** Changes the fields, or deletes the animal after a question. */
export function PetChanges({ environment, pet, onClose }: OpenedPetProps) {
  const refusal = useRefusal(pet);
  const isServed = useServed();
  const [isChanging, changing] = useDisclosure(false);
  const [isDeleting, deleting] = useDisclosure(false);
  const form = { environment, pet };
  const mayDelete = refusal === undefined && !pet.isReserved;
  return (
    <Section title="Change or delete">
      <Unless reason={refusal}>
        {isChanging && <ChangeForm {...form} onClose={changing.close} />}
        {isDeleting && <Deletion {...form} onCancel={deleting.close} onDeleted={onClose} />}
        {!isChanging && !isDeleting && (
          <Group gap="xs">
            {isServed('updatePet') && (
              <Button variant="default" onClick={changing.open}>
                Change
              </Button>
            )}
            {isServed('deletePet') && (
              <Button
                variant="default"
                {...(mayDelete && { c: 'var(--mantine-color-error)' })}
                disabled={!mayDelete}
                onClick={deleting.open}
              >
                Delete
              </Button>
            )}
          </Group>
        )}
        {pet.isReserved && (
          <Text size="sm" c="dimmed" mt="xs">
            It cannot be deleted while an order for it is open.
          </Text>
        )}
      </Unless>
    </Section>
  );
}

/** The animal as it was when the form was opened is what the change is based on. */
function ChangeForm({ environment, pet, onClose }: OpenedPetProps) {
  const { id, name, categoryId, status, isReserved, version } = pet;
  const base = useRef({ name, categoryId, status, version });
  const form = usePetForm({ name, categoryId, status });
  const { mutate, isPending, error } = useChangePet(environment, id, onClose);
  const first = useFirstFocus<HTMLFormElement>('input');
  return (
    <form
      ref={first}
      noValidate
      onSubmit={form.onSubmit((values) => {
        const { version: from, ...before } = base.current;
        const entered = Object.entries(enteredPet(values));
        const changed = entered.filter(([field, value]) => value !== Object(before)[field]);
        if (changed.length === 0) onClose();
        else mutate({ ...Object.fromEntries(changed), version: from });
      }, focusMistake(form))}
    >
      <Stack>
        <PetFields
          form={form}
          statuses={isReserved ? [status] : [status, ...PET_TRANSITIONS[status]]}
        />
        <DialogEnd error={error} isBusy={isPending} submit="Save" onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface DeletionProps extends PetProps {
  onCancel(): void;
  onDeleted(): void;
}

function Deletion({ environment, pet, onCancel, onDeleted }: DeletionProps) {
  const { mutate, isPending, error } = useDeletePet(environment, pet.id, onDeleted);
  const first = useFirstFocus<HTMLDivElement>('button');
  return (
    <Alert
      ref={first}
      color="red"
      variant="light"
      title={`Delete animal ${pet.id} of ${environment}?`}
    >
      <Stack gap="sm">
        <Text size="sm">This cannot be undone, and its id is not given again.</Text>
        <DialogEnd
          error={error}
          isBusy={isPending}
          submit="Delete animal"
          onSubmit={() => mutate()}
          onCancel={onCancel}
          isDangerous
        />
      </Stack>
    </Alert>
  );
}

/** Moves the focus to the first element of a kind within a part of the page that has just appeared. */
function useFirstFocus<Part extends HTMLElement>(selector: 'input' | 'button') {
  const part = useRef<Part>(null);
  useLayoutEffect(() => {
    part.current?.querySelector<HTMLElement>(selector)?.focus();
  }, [selector]);
  return part;
}
