import { Paper, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { SecondFactor } from '../../../core/accounts/second-factors.ts';
import { useAction } from '../api.ts';
import { Page } from '../common/page.tsx';
import { PageLink } from '../common/page-link.tsx';
import { PasskeySignIn } from '../second-factor/passkey-sign-in.tsx';
import { SecondStep } from '../second-factor/second-step.tsx';
import { signIn, useSignedInOrOut } from './authentication.ts';
import { EmailField, email, FormCard, focusMistake, PasswordField, required } from './fields.tsx';

/**
 * The sign-in page. It is also shown in place of a page that requires signing in, and then leads to
 * that page.
 */
export default function SignInPage() {
  const [location] = useLocation();
  const changed = useSignedInOrOut();
  const [ways, setWays] = useState<readonly SecondFactor[]>();
  const [reason, setReason] = useState<unknown>();
  const onSignedIn = () => void changed(location === '/sign-in' ? '/' : undefined);
  const onRestart = (error?: unknown) => {
    setWays(undefined);
    setReason(error);
  };
  return (
    <Page
      isNarrow
      title="Sign in"
      description={
        <>
          No account yet? <PageLink href="/sign-up">Create one</PageLink>
        </>
      }
    >
      {ways ? (
        <Paper withBorder p="lg" maw={440}>
          <SecondStep
            ways={ways}
            onSignedIn={onSignedIn}
            onRestart={onRestart}
            onCancel={() => onRestart()}
          />
        </Paper>
      ) : (
        <>
          <PasswordStep reason={reason} onSignedIn={onSignedIn} onAsked={setWays} />
          <PasskeySignIn onSignedIn={onSignedIn} />
        </>
      )}
    </Page>
  );
}

interface PasswordStepProps {
  /** The reason why the password has to be entered again, if any. */
  readonly reason: unknown;
  readonly onSignedIn: () => void;
  /** Called when a second factor is required. */
  readonly onAsked: (ways: readonly SecondFactor[]) => void;
}

function PasswordStep({ reason, onSignedIn, onAsked }: PasswordStepProps) {
  const enter = useAction({
    mutationFn: signIn,
    onSuccess: ({ secondFactors }) => (secondFactors ? onAsked(secondFactors) : onSignedIn()),
  });
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: { email, password: required('Enter your password.') },
  });
  return (
    <FormCard
      onSubmit={form.onSubmit((values) => enter.mutate(values), focusMistake(form))}
      submit="Sign in"
      isBusy={enter.isPending}
      error={enter.error ?? reason}
    >
      <EmailField {...form.getInputProps('email')} />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        {...form.getInputProps('password')}
      />
      <Text size="sm">
        <PageLink href="/forgot-password">Forgot your password?</PageLink>
      </Text>
    </FormCard>
  );
}
