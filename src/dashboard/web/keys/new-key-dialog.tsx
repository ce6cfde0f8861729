import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { IssuedKeyInfo } from '../../shared/api.ts';
import { useBackGuard } from '../common/back-guard.ts';
import { Copy } from '../common/copy.tsx';

interface NewKeyDialogProps {
  readonly issued: IssuedKeyInfo | undefined;
  readonly onClose: () => void;
}

/**
 * Shows the text of a new key once; it is discarded when the dialog closes. Escape, a click outside,
 * the close button and Back in the browser ask for confirmation.
 */
export function NewKeyDialog({ issued, onClose }: NewKeyDialogProps) {
  const [isAsking, setAsking] = useState(false);
  useBackGuard(issued !== undefined, () => setAsking(true));
  const close = () => {
    setAsking(false);
    onClose();
  };
  return (
    <Modal
      opened={issued !== undefined}
      onClose={() => setAsking(!isAsking)}
      title="Your new key"
      size="lg"
      transitionProps={{ duration: 0 }}
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
          {isAsking ? (
            <Question onStay={() => setAsking(false)} onClose={close} />
          ) : (
            <Group justify="flex-end">
              <Button onClick={close}>Done</Button>
            </Group>
          )}
        </Stack>
      )}
    </Modal>
  );
}

function Question({ onStay, onClose }: { readonly onStay: () => void; onClose: () => void }) {
  return (
    <Alert color="red" variant="light" role="alert" title="Close without another look at the key?">
      <Stack gap="sm">
        <Text size="sm">If you have not copied it, you cannot see it again.</Text>
        <Group justify="flex-end">
          <Button variant="default" autoFocus onClick={onStay}>
            Keep it open
          </Button>
          <Button color="red.9" onClick={onClose}>
            Close for good
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
