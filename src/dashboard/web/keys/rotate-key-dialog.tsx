import { Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { IssuedKeyInfo, KeyInfo, KeyRotation } from '../../shared/api.ts';
import { useDraft } from '../common/draft.ts';
import { useRotateKey } from './key-calls.ts';
import { type ChangeState, KeyDialog, KeyForm } from './key-dialog.tsx';

type Overlap = KeyRotation['overlap'];

const OVERLAPS: readonly (readonly [Overlap, string])[] = [
  ['0', 'Not at all: it ends now'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['72h', '72 hours'],
];

function overlapOf(text: string): Overlap {
  return OVERLAPS.find(([overlap]) => overlap === text)?.[0] ?? '24h';
}

interface RotateKeyDialogProps {
  /** The key to rotate; the dialog is closed without one. */
  readonly value: KeyInfo | undefined;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedKeyInfo) => void;
}

export function RotateKeyDialog({ value, onClose, onIssued }: RotateKeyDialogProps) {
  const rotateKey = useRotateKey();
  return (
    <KeyDialog
      isOpen={value !== undefined}
      title={value && `Rotate ${value.name}`}
      onClose={onClose}
      change={({ id, overlap }: { id: string; overlap: Overlap }) => rotateKey(id, { overlap })}
      onDone={onIssued}
    >
      {({ submit, ...state }) =>
        value && (
          <RotateForm
            id={value.id}
            state={{ ...state, submit: (overlap) => submit({ id: value.id, overlap }) }}
          />
        )
      }
    </KeyDialog>
  );
}

interface RotateFormProps {
  /** The id of the key. */
  readonly id: string;
  readonly state: ChangeState<Overlap>;
}

function RotateForm({ id, state }: RotateFormProps) {
  const draft = useDraft(`rotate ${id}`, { overlap: '24h' });
  const [overlap, setOverlap] = useState(() => overlapOf(draft.initial.overlap));
  return (
    <KeyForm
      state={state}
      submit="Rotate key"
      onSubmit={(event) => {
        event.preventDefault();
        state.submit(overlap);
      }}
    >
      <Text size="sm">You get a new key with the same name and environment.</Text>
      <Radio.Group
        label="How long should the old key keep working?"
        value={overlap}
        onChange={(value) => {
          draft.save({ overlap: value });
          setOverlap(overlapOf(value));
        }}
      >
        <Stack gap="xs" mt={8}>
          {OVERLAPS.map(([length, label]) => (
            <Radio key={length} value={length} label={label} />
          ))}
        </Stack>
      </Radio.Group>
    </KeyForm>
  );
}
