import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { createContext, type ReactNode, useContext, useRef, useState } from 'react';
import type { SecondFactor } from '../../../core/second-factors.ts';
import { failedWith, useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';
import { SecondStep } from '../second-factor/second-step.tsx';
import { signIn } from './authentication.ts';
import { PasswordField, required } from './fields.tsx';

type Attempt = <T>(action: () => Promise<T>) => Promise<T>;

const AttemptContext = createContext<Attempt>((action) => action());

/**
 * Runs an action that needs a recent sign-in: when the service asks for one, a dialog takes the password,
 * and the second factor if there is one, and the action is repeated. Fails with the service's error when the person closes the dialog.
 */
export function useRecentSignIn(): Attempt {
  return useContext(AttemptContext);
}

/** Holds the dialog that asks to sign in again. */
export function SignInAgain({ email, children }: { email: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const settle = useRef<(signedIn: boolean) => void>(undefined);
  const attempt: Attempt = async (action) => {
    try {
      return await action();
    } catch (error) {
      if (!failedWith(error, 'sign_in_again')) throw error;
      const dialog = Promise.withResolvers<boolean>();
      settle.current = dialog.resolve;
      setOpen(true);
      if (!(await dialog.promise)) throw error;
      return action();
    }
  };
  const close = (signedIn: boolean) => {
    setOpen(false);
    settle.current?.(signedIn);
  };
  return (
    <AttemptContext value={attempt}>
      {children}
      <Modal
        opened={isOpen}
        onClose={() => close(false)}
        title="Sign in again"
        zIndex={400}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <AgainSteps email={email} onSignedIn={() => close(true)} onCancel={() => close(false)} />
      </Modal>
    </AttemptContext>
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
  /** Why the password has to be entered again, if it has. */
  readonly reason: unknown;
  /** Called when a second factor is asked for. */
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
  const error = enter.error ?? reason;
  return (
    <form onSubmit={form.onSubmit(({ password }) => enter.mutate({ email, password }))} noValidate>
      <Stack>
        <Text size="sm">
          You signed in a while ago. Enter the password of <strong>{email}</strong> to continue.
        </Text>
        {/* Tells password managers whose password this is. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        {error ? <Failure error={error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <ActionButton type="submit" isBusy={enter.isPending}>
            Continue
          </ActionButton>
        </Group>
      </Stack>
    </form>
  );
}
