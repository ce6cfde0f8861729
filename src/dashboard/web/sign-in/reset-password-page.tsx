import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { failedWith, useAction } from '../api.ts';
import { Page } from '../common/page.tsx';
import { resetPassword, useSignedInOrOut } from './authentication.ts';
import { FormCard, focusMistake, NewPasswordField, newPassword } from './fields.tsx';
import { useLinkToken } from './link-token.ts';

/** Setting a new password by the link of a mail. */
export default function ResetPasswordPage() {
  const token = useLinkToken();
  return (
    <Page isNarrow title="Set a new password">
      {token === '' ? (
        <AskAgain title="This link is not complete">Open the whole link, or:</AskAgain>
      ) : (
        <ResetForm token={token} />
      )}
    </Page>
  );
}

interface AskAgainProps {
  readonly title: string;
  readonly children: ReactNode;
}

function AskAgain({ title, children }: AskAgainProps) {
  return (
    <Alert variant="light" color="gray" title={title} maw={440} role="alert">
      {children}{' '}
      <Anchor component={Link} href="/forgot-password" underline="always" inherit>
        Ask for a new link
      </Anchor>
      .
    </Alert>
  );
}

function ResetForm({ token }: { token: string }) {
  const changed = useSignedInOrOut();
  const reset = useAction({
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
  // The form has validated the password already, so the error is about the link.
  if (failedWith(reset.error, 'invalid')) {
    return <AskAgain title="This link is over">It was used before, or came too late.</AskAgain>;
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
