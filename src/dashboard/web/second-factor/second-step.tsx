import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { SecondFactor } from '../../../core/accounts/second-factors.ts';
import type { Entered } from '../../shared/api.ts';
import { call, failedWith, useAction } from '../api.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { required } from '../sign-in/fields.tsx';
import { canUsePasskeys, signInByPasskey } from './passkeys.ts';

interface SecondStepProps {
  /** The factors that can complete the sign-in, the preferred one first. */
  readonly ways: readonly SecondFactor[];
  readonly onSignedIn: () => void;
  /** Called when the password has to be entered again, with the reason. */
  readonly onRestart: (reason: unknown) => void;
  readonly onCancel: () => void;
}

const CHOICES: Readonly<Record<SecondFactor, string>> = {
  totp: 'Use the authenticator app',
  passkey: 'Use a passkey',
  recovery_code: 'Use a recovery code',
};

/** The second step of a sign-in: a code, a recovery code or a passkey. */
export function SecondStep({ ways, ...rest }: SecondStepProps) {
  const usable = ways.filter((way) => way !== 'passkey' || canUsePasskeys());
  const [way = 'recovery_code', setWay] = useState(usable[0]);
  const others = usable.filter((other) => other !== way);
  return (
    <Stack>
      {way === 'passkey' ? <PasskeyStep {...rest} /> : <CodeStep key={way} way={way} {...rest} />}
      {others.map((other) => (
        <Anchor
          key={other}
          component="button"
          type="button"
          size="sm"
          ta="left"
          underline="always"
          onClick={() => setWay(other)}
        >
          {CHOICES[other]}
        </Anchor>
      ))}
    </Stack>
  );
}

type StepProps = Omit<SecondStepProps, 'ways'>;

const CODES = {
  totp: {
    label: 'Code',
    description: 'The 6 digits that your authenticator app shows now.',
    path: '/auth/sign-in/code',
    input: { autoComplete: 'one-time-code', inputMode: 'numeric' },
  },
  recovery_code: {
    label: 'Recovery code',
    description: 'One of the codes that you saved. Each works once.',
    path: '/auth/sign-in/recovery-code',
    input: { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
  },
} as const;

function CodeStep({ way, ...props }: StepProps & { readonly way: keyof typeof CODES }) {
  const { label, description, path, input } = CODES[way];
  const enter = useEnter((code: string) => call('POST', path, { code }), props);
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: required('Enter the code.') },
  });
  return (
    <form noValidate onSubmit={form.onSubmit(({ code }) => enter.mutate(code))}>
      <Stack>
        <TextInput
          label={label}
          description={description}
          data-autofocus
          // This field replaces the password field.
          autoFocus
          {...input}
          {...form.getInputProps('code')}
        />
        <DialogEnd
          error={enter.error}
          isBusy={enter.isPending}
          submit="Continue"
          onCancel={props.onCancel}
        />
      </Stack>
    </form>
  );
}

function PasskeyStep(props: StepProps) {
  const enter = useEnter(signInByPasskey, props);
  return (
    <Stack>
      <Text size="sm">Your browser asks for a passkey of this account.</Text>
      <DialogEnd
        error={enter.error}
        isBusy={enter.isPending}
        submit="Continue with a passkey"
        onSubmit={() => enter.mutate()}
        onCancel={props.onCancel}
        focus="submit"
      />
    </Stack>
  );
}

/** Completes the sign-in; when that takes too long, the password has to be entered again. */
function useEnter<Proof = void>(
  mutationFn: (proof: Proof) => Promise<Entered>,
  { onSignedIn, onRestart }: StepProps,
) {
  return useAction<Entered, Proof>({
    mutationFn,
    onSuccess: onSignedIn,
    onError(error) {
      if (failedWith(error, 'sign_in_again')) onRestart(error);
    },
  });
}
