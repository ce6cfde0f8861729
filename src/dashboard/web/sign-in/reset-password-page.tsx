import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Page } from '../common/page.tsx';
import { resetPassword, useSignedInOrOut } from './authentication.ts';
import { FormCard, focusMistake, NewPasswordField, newPassword } from './fields.tsx';
import { useLinkToken } from './link-token.ts';

/** Setting a new password by the link of a mail. */
export default function ResetPasswordPage() {
  const token = useLinkToken();
  return (
    <Page isNarrow title="Set a new password">
      {token === '' ? <NoToken /> : <ResetForm token={token} />}
    </Page>
  );
}

function NoToken() {
  return (
    <Alert variant="light" color="gray" title="This link is not complete" maw={440}>
      Open the whole link, or{' '}
      <Anchor component={Link} href="/forgot-password" underline="always" inherit>
        ask for a new one
      </Anchor>
      .
    </Alert>
  );
}

function ResetForm({ token }: { token: string }) {
  const changed = useSignedInOrOut();
  const reset = useMutation({
    mutationFn: (password: string) => resetPassword(token, password),
    onSuccess: () => changed(),
  });
  const form = useForm({ initialValues: { password: '' }, validate: { password: newPassword } });
  if (reset.isSuccess) {
    return (
      <Stack align="flex-start" role="status">
        <Text>Your new password is set.</Text>
        <Button component={Link} href="/sign-in">
          Sign in
        </Button>
      </Stack>
    );
  }
  return (
    <FormCard
      onSubmit={form.onSubmit(({ password }) => reset.mutate(password), focusMistake(form))}
      submit="Set the password"
      isBusy={reset.isPending}
      error={reset.error}
    >
      <NewPasswordField label="New password" {...form.getInputProps('password')} />
    </FormCard>
  );
}
