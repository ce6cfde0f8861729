import { Anchor, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useLocation } from 'wouter';
import { useAction } from '../api.ts';
import { Page } from '../common/page.tsx';
import { signIn, useSignedInOrOut } from './authentication.ts';
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
