import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useLayoutEffect, useRef } from 'react';
import type { Environment } from '../../../core/environments.ts';
import { PET_TRANSITIONS } from '../../../core/pets/pet-changes.ts';
import type { PetInfo } from '../../shared/pets.ts';
import { useDialog } from '../common/dialog.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { useDraft } from '../common/draft.ts';
import { SameCall } from '../common/same-call.tsx';
import { Unless } from '../common/suspension.tsx';
import { focusMistake } from '../sign-in/fields.tsx';
import { useChangePet, useDeletePet } from './pet-calls.ts';
import { enteredPet, isInt64, PetFields, type PetTexts, usePetForm } from './pet-fields.tsx';
import {
  type OpenedPetProps,
  type PetProps,
  Section,
  useRefusal,
  useServed,
} from './pet-section.tsx';
import { PET_FORM } from './pets-view.ts';

/** Changes the fields, or deletes the animal after a question. */
export function PetChanges({ environment, pet, onClose }: OpenedPetProps) {
  const refusal = useRefusal(pet);
  const isServed = useServed();
  const { key, subject, isOpen, open, close } = useDialog(PET_FORM);
  const mayDelete = refusal === undefined && !pet.isReserved;
  const canChange = isServed('updatePet');
  const canDelete = isServed('deletePet');
  const isChanging = isOpen && subject === 'change' && canChange;
  const isDeleting = isOpen && subject === 'delete' && canDelete && mayDelete;
  const form = { environment, pet };
  return (
    <Section title="Change or delete">
      <Unless reason={refusal}>
        {isChanging && <ChangeForm key={key} {...form} onClose={close} />}
        {isDeleting && <Deletion {...form} onCancel={close} onDeleted={onClose} />}
        {!isChanging && !isDeleting && (
          <Group gap="xs">
            {canChange && (
              <Button variant="default" onClick={() => open('change')}>
                Change
              </Button>
            )}
            {canDelete && (
              <Button
                variant="default"
                {...(mayDelete && { c: 'var(--mantine-color-error)' })}
                disabled={!mayDelete}
                onClick={() => open('delete')}
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
  const { id, status, isReserved } = pet;
  const { initial, from, save } = useChangeDraft(environment, pet);
  const form = usePetForm(initial, save);
  const { mutate, isPending, error } = useChangePet(environment, id, onClose);
  const first = useFirstFocus<HTMLFormElement>('input');
  return (
    <form
      ref={first}
      noValidate
      onSubmit={form.onSubmit((values) => {
        const changed = changedIn(enteredPet(values), from);
        if (Object.keys(changed).length === 0) onClose();
        else mutate({ ...changed, version: from.version });
      }, focusMistake(form))}
    >
      <Stack>
        <PetFields
          form={form}
          statuses={isReserved ? [status] : [status, ...PET_TRANSITIONS[status]]}
        />
        <SameChange environment={environment} id={id} entered={form.values} from={from} />
        <DialogEnd error={error} isBusy={isPending} submit="Save" onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface SameChangeProps {
  readonly environment: Environment;
  readonly id: number;
  readonly entered: PetTexts;
  /** The animal that the change is based on. */
  readonly from: PetTexts & { readonly version: string };
}

/** The call that makes the change of the form as it stands; a field with a mistake is left out. */
function SameChange({ environment, id, entered, from }: SameChangeProps) {
  const { name, status } = entered;
  const categoryId = isInt64(entered.categoryId) ? entered.categoryId.trim() : from.categoryId;
  const changed = changedIn(
    { name: name.trim() === '' ? from.name : name, categoryId, status },
    from,
  );
  if (Object.keys(changed).length === 0) {
    return <Text size="sm">The same with the API: change a field to see the call.</Text>;
  }
  const { categoryId: digits, ...others } = changed;
  const body = { ...others, ...(digits !== undefined && { categoryId: BigInt(digits) }) };
  return (
    <SameCall
      environment={environment}
      call={{ operation: 'updatePet', id, ifMatch: from.version, body }}
      title="The same with the API, unless somebody changes the animal first:"
      label="the call"
    />
  );
}

/** The fields that differ. */
function changedIn<Fields extends Partial<PetTexts>>(
  entered: Fields,
  from: PetTexts,
): Partial<Fields> {
  const changed: Partial<Fields> = { ...entered };
  for (const field of ['name', 'categoryId', 'status'] as const) {
    if (entered[field] === from[field]) delete changed[field];
  }
  return changed;
}

/** A draft of a change, with the fields of the animal that it is based on. */
type ChangeTexts = PetTexts &
  Readonly<Record<'fromName' | 'fromCategoryId' | 'fromStatus' | 'version', string>>;

/** The draft of a change, and the animal that it is based on, also when the form is there again. */
function useChangeDraft(environment: Environment, { id, version, ...pet }: PetInfo) {
  const { name, categoryId, status } = pet;
  const { initial, save } = useDraft<ChangeTexts>(`change ${environment} ${id}`, {
    ...{ name, categoryId, status, version },
    ...{ fromName: name, fromCategoryId: categoryId, fromStatus: status },
  });
  const { fromName, fromCategoryId, fromStatus, version: since, ...entered } = initial;
  return {
    initial: entered,
    from: { name: fromName, categoryId: fromCategoryId, status: fromStatus, version: since },
    save: (changed: PetTexts) => save({ ...initial, ...changed }),
  };
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
      // Otherwise it cuts off the ring around the focused button.
      styles={{ message: { overflow: 'visible' } }}
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
