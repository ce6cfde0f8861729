import { Anchor, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useLocation } from 'wouter';
import { failedWith, useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Page } from '../common/page.tsx';
import { Failure } from '../common/states.tsx';
import { sendVerificationEmail, signIn, useSignedInOrOut } from './authentication.ts';
import { EmailField, email, FormCard, focusMistake, PasswordField, required } from './fields.tsx';

/** Signing in; also shown in place of a page that requires it, which follows afterwards. */
export function SignInPage() {
  const [location] = useLocation();
  const changed = useSignedInOrOut();
  const enter = useAction({
    mutationFn: signIn,
    onSuccess: () => changed(location === '/sign-in' ? '/' : undefined),
  });
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: { email, password: required('Enter your password.') },
  });
  return (
    <Page
      isNarrow
      title="Sign in"
      description={
        <>
          No account yet?{' '}
          <Anchor component={Link} href="/sign-up" underline="always">
            Create one
          </Anchor>
        </>
      }
    >
      <FormCard
        onSubmit={form.onSubmit((values) => enter.mutate(values), focusMistake(form))}
        submit="Sign in"
        isBusy={enter.isPending}
        error={enter.error}
        remedy={
          failedWith(enter.error, 'not_verified') && <SendAgain email={form.getValues().email} />
        }
      >
        <EmailField {...form.getInputProps('email')} />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          {...form.getInputProps('password')}
        />
        <Text size="sm">
          <Anchor component={Link} href="/forgot-password" underline="always">
            Forgot your password?
          </Anchor>
        </Text>
      </FormCard>
    </Page>
  );
}

function SendAgain({ email }: { email: string }) {
  const send = useAction({ mutationFn: sendVerificationEmail });
  if (send.isSuccess) return <Text role="status">The mail is on its way to {email}.</Text>;
  return (
    <>
      {send.error && <Failure error={send.error} />}
      <ActionButton variant="default" isBusy={send.isPending} onClick={() => send.mutate(email)}>
        Send the mail again
      </ActionButton>
    </>
  );
}
