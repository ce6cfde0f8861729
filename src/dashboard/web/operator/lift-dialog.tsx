import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import type { BanInfo } from '../../shared/api.ts';
import { call, useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';

interface LiftDialogProps {
  /** `undefined` until one is chosen. */
  readonly ban: BanInfo | undefined;
  readonly isOpen: boolean;
  close(): void;
  /** Called once the ban is lifted and the list is reloaded. */
  lifted(): void;
}

/** Asks for confirmation before a ban is lifted. */
export function LiftDialog({ ban, isOpen, close, lifted }: LiftDialogProps) {
  return (
    <Modal opened={isOpen} onClose={close} title="Lift this ban?" closeButtonProps={CLOSE} centered>
      {ban && <Question ban={ban} close={close} lifted={lifted} />}
    </Modal>
  );
}

interface QuestionProps extends Pick<LiftDialogProps, 'close' | 'lifted'> {
  readonly ban: BanInfo;
}

function Question({ ban, close, lifted }: QuestionProps) {
  const { environment, keyName, lastFour, email } = ban;
  const lift = useLift(ban, close, lifted);
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
        <ActionButton isBusy={lift.isPending} onClick={() => lift.mutate()}>
          Lift ban
        </ActionButton>
      </Group>
    </Stack>
  );
}

function useLift({ id, email }: BanInfo, close: () => void, lifted: () => void) {
  const queries = useQueryClient();
  return useAction({
    mutationFn: () => call('POST', `/operator/bans/${encodeURIComponent(id)}/lift`),
    onSuccess() {
      close();
      notifications.show({ message: `The ban of ${email} is lifted.` });
    },
    // A ban that cannot be lifted has ended meanwhile, so the list is outdated either way.
    async onSettled(_, error) {
      await queries.invalidateQueries({ queryKey: ['operator'] });
      if (!error) lifted();
    },
  });
}

const CLOSE = { 'aria-label': 'Close' };
