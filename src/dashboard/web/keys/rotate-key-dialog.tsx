import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { IssuedKeyInfo, KeyInfo, KeyRotation } from '../../shared/api.ts';
import { useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';
import { useRotateKey } from './key-calls.ts';

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
  const rotate = useAction({
    mutationFn: ({ id, overlap }: { id: string; overlap: Overlap }) => rotateKey(id, { overlap }),
    onSuccess(issued) {
      onClose();
      onIssued(issued);
    },
  });
  return (
    <Modal
      opened={value !== undefined}
      onClose={onClose}
      // While the sign-in dialog is open, Escape closes that one.
      closeOnEscape={!rotate.isPending}
      transitionProps={{ duration: 0 }}
      onExitTransitionEnd={rotate.reset}
      title={value && `Rotate ${value.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {value && (
        <RotateForm
          onSubmit={(overlap) => rotate.mutate({ id: value.id, overlap })}
          onCancel={onClose}
          isBusy={rotate.isPending}
          error={rotate.error}
        />
      )}
    </Modal>
  );
}

interface RotateFormProps {
  readonly onSubmit: (overlap: Overlap) => void;
  readonly onCancel: () => void;
  readonly isBusy: boolean;
  readonly error: unknown;
}

function RotateForm({ onSubmit, onCancel, isBusy, error }: RotateFormProps) {
  const [overlap, setOverlap] = useState<Overlap>('24h');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(overlap);
      }}
    >
      <Stack>
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
        {error ? <Failure error={error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <ActionButton type="submit" isBusy={isBusy}>
            Rotate key
          </ActionButton>
        </Group>
      </Stack>
    </form>
  );
}
