import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import type { BanInfo } from '../../shared/api.ts';
import { call, useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';
import { useRecentSignIn } from '../sign-in/sign-in-again.tsx';

interface LiftDialogProps {
  /** `undefined` until one is chosen. */
  readonly ban: BanInfo | undefined;
  readonly isOpen: boolean;
  close(): void;
  /** Called when the ban has been lifted and the list reloaded. */
  lifted(): void;
}

/** Asks for confirmation before a ban is lifted. */
export function LiftDialog({ ban, isOpen, close, lifted }: LiftDialogProps) {
  const lift = useLift(close, lifted);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      // While the sign-in dialog is open, Escape closes that one.
      closeOnEscape={!lift.isPending}
      onExitTransitionEnd={lift.reset}
      title="Lift this ban?"
      closeButtonProps={CLOSE}
      centered
    >
      {ban && <Question ban={ban} close={close} lift={lift} />}
    </Modal>
  );
}

interface QuestionProps extends Pick<LiftDialogProps, 'close'> {
  readonly ban: BanInfo;
  readonly lift: ReturnType<typeof useLift>;
}

function Question({ ban, close, lift }: QuestionProps) {
  const { environment, keyName, lastFour, email } = ban;
  return (
    <Stack gap="lg">
      <Text>
        {`The ${environment} key “${keyName}” (…${lastFour}) of ${email} works again within a second, with a clean record. The audit log will show that you lifted the ban.`}
      </Text>
      {lift.error && <Failure error={lift.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <ActionButton isBusy={lift.isPending} onClick={() => lift.mutate(ban)}>
          Lift ban
        </ActionButton>
      </Group>
    </Stack>
  );
}

function useLift(close: () => void, lifted: () => void) {
  const queries = useQueryClient();
  const withRecentSignIn = useRecentSignIn();
  return useAction({
    mutationFn: ({ id }: BanInfo) =>
      withRecentSignIn(() => call('POST', `/operator/bans/${encodeURIComponent(id)}/lift`)),
    onSuccess(_, { email }) {
      close();
      notifications.show({ message: `The ban of ${email} is lifted.` });
    },
    // If lifting fails because the ban has already ended, the list is outdated as well.
    async onSettled(_, error) {
      await queries.invalidateQueries({ queryKey: ['operator'] });
      if (!error) lifted();
    },
  });
}

const CLOSE = { 'aria-label': 'Close' };
