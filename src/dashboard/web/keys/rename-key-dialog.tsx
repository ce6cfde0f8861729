import { useForm } from '@mantine/form';
import type { KeyInfo } from '../../shared/api.ts';
import { useDraft } from '../common/draft.ts';
import { focusMistake } from '../sign-in/fields.tsx';
import { useRenameKey } from './key-calls.ts';
import { type ChangeState, KeyDialog, KeyForm } from './key-dialog.tsx';
import { KeyNameField, nameProblem } from './key-name-field.tsx';

interface RenameKeyDialogProps {
  /** The key to rename; the dialog is closed without one. */
  readonly value: KeyInfo | undefined;
  readonly onClose: () => void;
}

export function RenameKeyDialog({ value, onClose }: RenameKeyDialogProps) {
  const renameKey = useRenameKey();
  return (
    <KeyDialog
      isOpen={value !== undefined}
      title={value && `Rename ${value.name}`}
      onClose={onClose}
      change={({ id, name }: { id: string; name: string }) => renameKey(id, { name })}
    >
      {({ submit, ...state }) =>
        value && (
          <RenameForm
            value={value}
            state={{ ...state, submit: (name) => submit({ id: value.id, name }) }}
          />
        )
      }
    </KeyDialog>
  );
}

interface RenameFormProps {
  readonly value: KeyInfo;
  readonly state: ChangeState<string>;
}

function RenameForm({ value: { id, name }, state }: RenameFormProps) {
  const draft = useDraft(`rename ${id}`, { name });
  const form = useForm({
    initialValues: draft.initial,
    onValuesChange: draft.save,
    validate: { name: nameProblem },
  });
  return (
    <KeyForm
      state={state}
      submit="Rename key"
      onSubmit={form.onSubmit(({ name }) => state.submit(name.trim()), focusMistake(form))}
    >
      <KeyNameField
        description="Only the name changes: programs keep using the same key."
        {...form.getInputProps('name')}
      />
    </KeyForm>
  );
}
