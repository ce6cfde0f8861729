import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KeyInfo } from '../../shared/api.ts';
import { Failure } from '../common/states.tsx';
import { useRevokeKey } from './key-calls.ts';

interface RevokeKeyDialogProps {
  /** The key to revoke; the dialog is closed without one. */
  readonly value: KeyInfo | undefined;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ value, onClose }: RevokeKeyDialogProps) {
  const revokeKey = useRevokeKey();
  const revoke = useMutation({ mutationFn: revokeKey, onSuccess: onClose });
  return (
    <Modal
      opened={value !== undefined}
      onClose={onClose}
      transitionProps={{ duration: 0 }}
      onExitTransitionEnd={revoke.reset}
      title={value && `Revoke ${value.name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
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
          {revoke.error && <Failure error={revoke.error} />}
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={onClose}>
              Cancel
            </Button>
            <Button
              color="red.9"
              loading={revoke.isPending}
              onClick={() => revoke.mutate(value.id)}
            >
              Revoke key
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
