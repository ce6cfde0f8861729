import { Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { IssuedKeyInfo, KeyInfo, KeyRotation } from '../../shared/api.ts';
import { useRotateKey } from './key-calls.ts';
import { type ChangeState, KeyDialog, KeyForm } from './key-dialog.tsx';

type Overlap = KeyRotation['overlap'];

const OVERLAPS: readonly (readonly [Overlap, string])[] = [
  ['0', 'Not at all: it ends now'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['72h', '72 hours'],
];

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
            state={{ ...state, submit: (overlap) => submit({ id: value.id, overlap }) }}
          />
        )
      }
    </KeyDialog>
  );
}

function RotateForm({ state }: { readonly state: ChangeState<Overlap> }) {
  const [overlap, setOverlap] = useState<Overlap>('24h');
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
        onChange={(value) => setOverlap(OVERLAPS.find(([one]) => one === value)?.[0] ?? '24h')}
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
