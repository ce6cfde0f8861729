import { Button, Modal, Stack, Text } from '@mantine/core';
import { useAfterMount } from '../common/after-mount.ts';
import { useDialog, useIsShown } from '../common/dialog.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { useSuspension } from '../common/suspension.tsx';
import { useSandboxChange } from './sandbox-calls.ts';

/** Resets the sandbox after a question. */
export function Reset() {
  const dialog = useDialog('reset');
  const isShown = useIsShown(dialog, useSuspension() === undefined);
  const { mutate, isPending, error, reset } = useSandboxChange({ onDone: dialog.close });
  return (
    <>
      <Button variant="default" onClick={() => dialog.open('sandbox')}>
        Reset the sandbox
      </Button>
      <Modal
        opened={useAfterMount(isShown)}
        onClose={dialog.close}
        onExitTransitionEnd={reset}
        title="Reset the sandbox?"
        centered
      >
        <Stack gap="lg">
          <Text>
            The clock shows real time again, the windows of staging are unused, and the simulation
            and the bans of all your staging keys end. Animals, orders, messages and keys stay; the
            call POST /reset of the API can delete your animals and orders of staging, too.
          </Text>
          <DialogEnd
            error={error}
            isBusy={isPending}
            submit="Reset the sandbox"
            onSubmit={() => mutate({ kind: 'reset' })}
            onCancel={dialog.close}
            focus="cancel"
          />
        </Stack>
      </Modal>
    </>
  );
}
