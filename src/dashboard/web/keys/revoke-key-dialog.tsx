import { Modal, Stack, Text } from '@mantine/core';
import type { KeyInfo } from '../../shared/api.ts';
import { useAction } from '../api.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { focusOrContent } from '../common/focus.ts';
import { useRevokeKey } from './key-calls.ts';
import { keyRowId } from './key-row.ts';
import { revokeButtonId } from './key-table.tsx';

interface RevokeKeyDialogProps {
  /** The key to revoke; the dialog is closed without one. */
  readonly value: KeyInfo | undefined;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ value, onClose }: RevokeKeyDialogProps) {
  const revokeKey = useRevokeKey();
  const revoke = useAction({
    mutationFn: revokeKey,
    onSuccess(_, id) {
      // The button that opened the dialog disappears with the change, and with a filter so does the row.
      focusOrContent(keyRowId(id));
      onClose();
    },
  });
  const cancel = () => {
    if (value) focusOrContent(revokeButtonId(value.id));
    onClose();
  };
  return (
    <Modal
      opened={value !== undefined}
      onClose={cancel}
      // The focus depends on how the dialog was closed.
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      title={value && `Revoke ${value.name}?`}
    >
      {value && (
        <Stack>
          <Text size="sm">
            Requests with{' '}
            <code>
              {value.prefix}…{value.lastFour}
            </code>{' '}
            are refused from now on. This cannot be undone.
          </Text>
          <DialogEnd
            error={revoke.error}
            isBusy={revoke.isPending}
            submit="Revoke key"
            onSubmit={() => revoke.mutate(value.id)}
            onCancel={cancel}
            isDangerous
            focus="cancel"
          />
        </Stack>
      )}
    </Modal>
  );
}
