import { Alert } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useAction, useSession } from '../api.ts';
import { Page } from '../common/page.tsx';
import { PageLink } from '../common/page-link.tsx';
import { requestPasswordReset } from './authentication.ts';
import { EmailField, email, FormCard, focusMistake } from './fields.tsx';

/** Requests a link that sets a new password. */
export default function ForgotPasswordPage() {
  const { data: session } = useSession();
  return (
    <Page
      isNarrow
      title="Forgot your password?"
      description={<PageLink href="/sign-in">Back to sign in</PageLink>}
    >
      {session?.sendsMail ? <RequestForm /> : <AskOperator contact={session?.contact ?? null} />}
    </Page>
  );
}

function AskOperator({ contact }: { contact: string | null }) {
  return (
    <Alert variant="light" color="gray" title="This service sends no mail">
      Ask its operator{contact === null ? '' : ` (${contact})`} for a reset link. With it you set a
      new password yourself.
    </Alert>
  );
}

function RequestForm() {
  const request = useAction({ mutationFn: requestPasswordReset });
  const form = useForm({ initialValues: { email: '' }, validate: { email } });
  if (request.isSuccess) {
    return (
      <Alert variant="light" title="Look into your mail" maw={440} role="status">
        If there is an account for {request.variables}, a link to set a new password is on its way.
        It works once, within an hour. If no mail arrives, look into the spam folder, and check the
        address.
      </Alert>
    );
  }
  return (
    <FormCard
      onSubmit={form.onSubmit(({ email }) => request.mutate(email), focusMistake(form))}
      submit="Send the link"
      isBusy={request.isPending}
      error={request.error}
    >
      <EmailField {...form.getInputProps('email')} />
    </FormCard>
  );
}
