import { Button, Group, Modal, NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { KEY_NAME_MAX_LENGTH } from '../../../core/api-keys.ts';
import type { IssuedKeyInfo, NewKey } from '../../shared/api.ts';
import { MAX_KEY_DAYS } from '../../shared/bounds.ts';
import { useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';
import { focusMistake } from '../sign-in/fields.tsx';
import { useCreateKey } from './key-calls.ts';

interface CreateKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedKeyInfo) => void;
}

export function CreateKeyDialog({ isOpen, onClose, onIssued }: CreateKeyDialogProps) {
  const createKey = useCreateKey();
  const create = useAction({
    mutationFn: createKey,
    onSuccess(issued) {
      onClose();
      onIssued(issued);
    },
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      // The second click of the double click that opened the dialog must not close it.
      closeOnClickOutside={false}
      // While the sign-in dialog is open, Escape closes that one.
      closeOnEscape={!create.isPending}
      onExitTransitionEnd={create.reset}
      title="Create a key"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <CreateKeyForm
        onSubmit={create.mutate}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
      />
    </Modal>
  );
}

interface CreateKeyFormProps {
  readonly onSubmit: (key: NewKey) => void;
  readonly onCancel: () => void;
  readonly isBusy: boolean;
  readonly error: unknown;
}

interface Values {
  name: string;
  environment: string;
  days: string | number;
  simulate: string;
}

function CreateKeyForm({ onSubmit, onCancel, isBusy, error }: CreateKeyFormProps) {
  const form = useForm<Values>({
    initialValues: { name: '', environment: 'production', days: '', simulate: '' },
    validate: {
      name: (name) =>
        name.trim() === '' ? 'Give the key a name, such as what will use it.' : null,
      days: daysMistake,
    },
  });
  return (
    <form
      onSubmit={form.onSubmit((values) => onSubmit(keyOf(values)), focusMistake(form))}
      noValidate
    >
      <Stack>
        <TextInput
          label="Name"
          placeholder="Shop server"
          maxLength={KEY_NAME_MAX_LENGTH}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Radio.Group label="Environment" {...form.getInputProps('environment')}>
          <Group mt={6}>
            <Radio value="production" label="Production" />
            <Radio value="staging" label="Staging" />
          </Group>
        </Radio.Group>
        <NumberInput
          label="Expires after (days)"
          description="Leave it empty for a key that does not expire."
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('days')}
        />
        {form.values.environment === 'staging' ? (
          <TextInput
            label="Simulation"
            description="What its requests meet, for tools whose headers you cannot set. Leave it empty for real replies."
            placeholder="unavailable;times=2"
            {...form.getInputProps('simulate')}
          />
        ) : null}
        {error ? <Failure error={error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <ActionButton type="submit" isBusy={isBusy}>
            Create key
          </ActionButton>
        </Group>
      </Stack>
    </form>
  );
}

function daysMistake(days: string | number): string | null {
  if (days === '') return null;
  const number = Number(days);
  const isFine = Number.isInteger(number) && number >= 1 && number <= MAX_KEY_DAYS;
  const most = MAX_KEY_DAYS.toLocaleString('en');
  return isFine ? null : `Enter a whole number of days from 1 to ${most}, or nothing.`;
}

function keyOf({ name, environment, days, simulate }: Values): NewKey {
  const isStaging = environment === 'staging';
  return {
    name: name.trim(),
    environment: isStaging ? 'staging' : 'production',
    ...(days !== '' && { expiresInDays: Number(days) }),
    ...(isStaging && simulate.trim() !== '' && { simulate: simulate.trim() }),
  };
}
