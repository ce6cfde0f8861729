import { Modal, Stack } from '@mantine/core';
import type { Environment } from '../../../core/environments.ts';
import { DEFAULT_STATUS, PET_STATUSES } from '../../../core/pets/pets.ts';
import type { PetInfo } from '../../shared/pets.ts';
import { useAfterMount } from '../common/after-mount.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { useDraft } from '../common/draft.ts';
import { SameCall } from '../common/same-call.tsx';
import { focusMistake } from '../sign-in/fields.tsx';
import { useAddPet } from './pet-calls.ts';
import { enteredPet, isInt64, PetFields, type PetTexts, usePetForm } from './pet-fields.tsx';

interface AddPetDialogProps {
  readonly environment: Environment;
  readonly isOpen: boolean;
  onClose(): void;
  onAdded(pet: PetInfo): void;
}

const EMPTY: PetTexts = { name: '', categoryId: '', status: DEFAULT_STATUS };

export function AddPetDialog({ environment, isOpen, onClose, onAdded }: AddPetDialogProps) {
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={onClose}
      // If a double click opened the dialog, its second click must not close it.
      closeOnClickOutside={false}
      transitionProps={{ duration: 0 }}
      title={`Add an animal to ${environment}`}
      size="lg"
    >
      <AddPetForm environment={environment} onClose={onClose} onAdded={onAdded} />
    </Modal>
  );
}

function AddPetForm({ environment, onClose, onAdded }: Omit<AddPetDialogProps, 'isOpen'>) {
  const draft = useDraft(`add ${environment}`, EMPTY);
  const form = usePetForm(draft.initial, draft.save);
  const { mutate, isPending, error } = useAddPet(environment, onAdded);
  return (
    <form
      onSubmit={form.onSubmit((values) => mutate(enteredPet(values)), focusMistake(form))}
      noValidate
    >
      <Stack>
        <PetFields form={form} statuses={PET_STATUSES} />
        <SameCall
          environment={environment}
          call={{ operation: 'createPet', body: shownPet(form.values) }}
          title="The same with the API:"
          label="the call"
        />
        <DialogEnd error={error} isBusy={isPending} submit="Add animal" onCancel={onClose} />
      </Stack>
    </form>
  );
}

/** What was entered so far; examples stand for what is missing. */
function shownPet({ name, categoryId, status }: PetTexts) {
  return {
    name: name.trim() === '' ? 'Biscuit' : name,
    categoryId: BigInt(isInt64(categoryId) ? categoryId.trim() : 7),
    status,
  };
}
