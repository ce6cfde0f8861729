import { Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { SecondFactor } from '../../../core/accounts/second-factors.ts';
import { useAction } from '../api.ts';
import { useAfterMount } from '../common/after-mount.ts';
import { useBackCloses } from '../common/back-guard.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { SecondStep } from '../second-factor/second-step.tsx';
import { signIn } from './authentication.ts';
import { AccountName, PasswordField, required } from './fields.tsx';

interface SignInAgainDialogProps {
  readonly email: string;
  readonly isOpen: boolean;
  close(signedIn: boolean): void;
}

/** Asks for the password, and for the second factor if the account has one. */
export function SignInAgainDialog({ email, isOpen, close }: SignInAgainDialogProps) {
  // Without an address: it belongs to an action that is waiting for it.
  useBackCloses(isOpen, 'sign-in', () => close(false));
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={() => close(false)}
      title="Sign in again"
      zIndex={400}
    >
      <AgainSteps email={email} onSignedIn={() => close(true)} onCancel={() => close(false)} />
    </Modal>
  );
}

interface AgainProps {
  readonly email: string;
  readonly onSignedIn: () => void;
  readonly onCancel: () => void;
}

function AgainSteps(props: AgainProps) {
  const [ways, setWays] = useState<readonly SecondFactor[]>();
  const [reason, setReason] = useState<unknown>();
  if (!ways) return <AgainForm reason={reason} onAsked={setWays} {...props} />;
  const onRestart = (error: unknown) => {
    setWays(undefined);
    setReason(error);
  };
  const { onSignedIn, onCancel } = props;
  return (
    <SecondStep ways={ways} onSignedIn={onSignedIn} onRestart={onRestart} onCancel={onCancel} />
  );
}

interface AgainFormProps extends AgainProps {
  /** The reason why the password has to be entered again, if any. */
  readonly reason: unknown;
  /** Called when a second factor is required. */
  readonly onAsked: (ways: readonly SecondFactor[]) => void;
}

function AgainForm({ email, reason, onAsked, onSignedIn, onCancel }: AgainFormProps) {
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: required('Enter your password.') },
  });
  const enter = useAction({
    mutationFn: signIn,
    onSuccess: ({ secondFactors }) => (secondFactors ? onAsked(secondFactors) : onSignedIn()),
  });
  return (
    <form onSubmit={form.onSubmit(({ password }) => enter.mutate({ email, password }))} noValidate>
      <Stack>
        <Text size="sm">
          You signed in a while ago. Enter the password of <strong>{email}</strong> to continue.
        </Text>
        <AccountName email={email} />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <DialogEnd
          error={enter.error ?? reason}
          isBusy={enter.isPending}
          submit="Continue"
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
