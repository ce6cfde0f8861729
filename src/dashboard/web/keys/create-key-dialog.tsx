import { Group, Radio, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { IssuedKeyInfo, NewKey } from '../../shared/api.ts';
import { MAX_KEY_DAYS } from '../../shared/bounds.ts';
import { countOf, countProblem } from '../common/count.ts';
import { useDraft } from '../common/draft.ts';
import { NumberField } from '../common/number-field.tsx';
import { focusMistake } from '../sign-in/fields.tsx';
import { useCreateKey } from './key-calls.ts';
import { type ChangeState, KeyDialog, KeyForm } from './key-dialog.tsx';
import { KeyNameField, nameProblem } from './key-name-field.tsx';

const DAYS = { min: 1, max: MAX_KEY_DAYS };

interface CreateKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedKeyInfo) => void;
}

export function CreateKeyDialog({ isOpen, onClose, onIssued }: CreateKeyDialogProps) {
  const createKey = useCreateKey();
  return (
    <KeyDialog
      isOpen={isOpen}
      title="Create a key"
      onClose={onClose}
      change={createKey}
      onDone={onIssued}
    >
      {(state) => <CreateKeyForm state={state} />}
    </KeyDialog>
  );
}

type Values = Record<'name' | 'environment' | 'days' | 'simulate', string>;

const EMPTY: Values = { name: '', environment: 'production', days: '', simulate: '' };

function CreateKeyForm({ state }: { readonly state: ChangeState<NewKey> }) {
  const draft = useDraft('create', EMPTY);
  const form = useForm<Values>({
    initialValues: draft.initial,
    onValuesChange: draft.save,
    validate: {
      name: nameProblem,
      days: (days) => (days.trim() === '' ? null : countProblem(days, DAYS)),
    },
  });
  return (
    <KeyForm
      state={state}
      submit="Create key"
      onSubmit={form.onSubmit((values) => state.submit(keyOf(values)), focusMistake(form))}
    >
      <KeyNameField {...form.getInputProps('name')} />
      <Radio.Group label="Environment" {...form.getInputProps('environment')}>
        <Group mt={6}>
          <Radio value="production" label="Production" />
          <Radio value="staging" label="Staging" />
        </Group>
      </Radio.Group>
      <NumberField
        label="Expires after (days)"
        description="Leave it empty for a key that does not expire."
        {...form.getInputProps('days')}
      />
      {form.values.environment === 'staging' ? (
        <TextInput
          label="Simulation"
          description="Applies to all requests with this key, for tools whose headers you cannot set. Leave it empty for real replies."
          placeholder="unavailable;times=2"
          {...form.getInputProps('simulate')}
        />
      ) : null}
    </KeyForm>
  );
}

function keyOf({ name, environment, days, simulate }: Values): NewKey {
  const isStaging = environment === 'staging';
  return {
    name: name.trim(),
    environment: isStaging ? 'staging' : 'production',
    ...(days.trim() !== '' && { expiresInDays: countOf(days, DAYS) }),
    ...(isStaging && simulate.trim() !== '' && { simulate: simulate.trim() }),
  };
}
