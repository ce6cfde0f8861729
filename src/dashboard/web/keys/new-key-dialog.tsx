import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { IssuedKeyInfo } from '../../shared/api.ts';
import { Copy } from '../common/copy.tsx';

interface NewKeyDialogProps {
  readonly issued: IssuedKeyInfo | undefined;
  readonly onClose: () => void;
}

/** Shows the text of a new key once; it is discarded when the dialog closes. */
export function NewKeyDialog({ issued, onClose }: NewKeyDialogProps) {
  return (
    <Modal
      opened={issued !== undefined}
      onClose={onClose}
      title="Your new key"
      size="lg"
      // An accidental click outside must not lose the key.
      closeOnClickOutside={false}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {issued && (
        <Stack>
          <Alert
            color="yellow"
            variant="light"
            icon={<IconAlertTriangle size={18} aria-hidden />}
            title="Copy it now. It is not shown again."
          >
            Keep it like a password. If it gets lost, rotate the key or create another.
          </Alert>
          <Group gap="sm" align="flex-end" wrap="nowrap">
            <TextInput
              label={`${issued.key.name} (${issued.key.environment})`}
              value={issued.text}
              readOnly
              flex={1}
              miw={0}
              classNames={{ input: 'monospace', label: 'address' }}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Copy value={issued.text} label="the key" hasFocusFirst />
          </Group>
          <Text size="sm" c="dimmed">
            Send it with every request: <code>Authorization: Bearer</code> and the key.
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
