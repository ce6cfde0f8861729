import { Alert } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useAction, useSession } from '../api.ts';
import { Page } from '../common/page.tsx';
import { PageLink } from '../common/page-link.tsx';
import { signUp, useSignedInOrOut } from './authentication.ts';
import {
  EmailField,
  FormCard,
  focusMistake,
  NewPasswordField,
  newEmail,
  newPassword,
} from './fields.tsx';

/** Creates an account and signs the user in. */
export default function SignUpPage() {
  const changed = useSignedInOrOut();
  const { data: session } = useSession();
  // If mail is sent, the password is chosen after opening the mailed link.
  const asksPassword = !session?.sendsMail;
  const create = useAction({
    mutationFn: signUp,
    onSuccess: ({ user }) => (user ? changed('/') : undefined),
  });
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: { email: newEmail, password: (value) => (asksPassword ? newPassword(value) : null) },
  });
  if (create.isSuccess && !create.data.user) return <LookIntoMail email={create.variables.email} />;
  return (
    <Page
      isNarrow
      title="Create account"
      description={
        <>
          Have an account already? <PageLink href="/sign-in">Sign in</PageLink>
        </>
      }
    >
      <FormCard
        onSubmit={form.onSubmit((values) => create.mutate(values), focusMistake(form))}
        submit="Create account"
        isBusy={create.isPending}
        error={create.error}
      >
        <EmailField
          autoComplete={asksPassword ? 'username' : 'email'}
          {...form.getInputProps('email')}
        />
        {asksPassword && <NewPasswordField label="Password" {...form.getInputProps('password')} />}
      </FormCard>
    </Page>
  );
}

function LookIntoMail({ email }: { email: string }) {
  return (
    <Page isNarrow title="Confirm your e-mail address">
      <Alert variant="light" title="Look into your mail" maw={440} role="status">
        A mail is on its way to {email}. Open the link in it within an hour and choose your
        password. If no mail arrives, look into the spam folder, or sign up again.
      </Alert>
    </Page>
  );
}
