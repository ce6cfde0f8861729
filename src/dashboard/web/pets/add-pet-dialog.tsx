import { Modal, Stack, Text } from '@mantine/core';
import { curlSample } from '../../../api/samples/curl.ts';
import { sampleCall } from '../../../api/samples/sample-call.ts';
import type { Environment } from '../../../core/environments.ts';
import { DEFAULT_STATUS, PET_STATUSES } from '../../../core/pets/pets.ts';
import { writeExactly } from '../../../lib/exact-json.ts';
import type { PetInfo } from '../../shared/pets.ts';
import { useSession } from '../api.ts';
import { useAfterMount } from '../common/after-mount.ts';
import { Code } from '../common/copy.tsx';
import { DialogEnd } from '../common/dialog-end.tsx';
import { useDraft } from '../common/draft.ts';
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
        <SameCall environment={environment} pet={form.values} />
        <DialogEnd error={error} isBusy={isPending} submit="Add animal" onCancel={onClose} />
      </Stack>
    </form>
  );
}

/** The call of the API that does the same. */
function SameCall({ environment, pet }: { environment: Environment; pet: PetTexts }) {
  const addresses = useSession().data?.addresses;
  if (!addresses) return null;
  return (
    <Stack gap={4}>
      <Text size="sm">The same with the API:</Text>
      <Code value={createPetCall(addresses[environment], environment, pet)} label="the call" />
    </Stack>
  );
}

/** @param pet what was entered so far; examples stand for what is missing. */
function createPetCall(baseUrl: string, environment: Environment, pet: PetTexts) {
  const { name, status } = pet;
  const categoryId = BigInt(isInt64(pet.categoryId) ? pet.categoryId.trim() : 7);
  const body = writeExactly({ name: name.trim() === '' ? 'Biscuit' : name, categoryId, status });
  const key = environment === 'production' ? 'PETSTORE_KEY' : 'PETSTORE_STAGING_KEY';
  const request = { operationId: 'createPet', method: 'POST', path: '/pets', baseUrl } as const;
  return curlSample(sampleCall({ ...request, parameters: [], body, result: 'int64' }, `$${key}`));
}
