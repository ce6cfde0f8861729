import { Alert } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failedWith, useAction } from '../api.ts';
import { Page } from '../common/page.tsx';
import { PageLink } from '../common/page-link.tsx';
import { findLink, resetPassword, useSignedInOrOut } from './authentication.ts';
import { AccountName, FormCard, focusMistake, NewPasswordField, newPassword } from './fields.tsx';
import { useLinkToken } from './link-token.ts';

/** Sets a new password with a mailed link. */
export default function ResetPasswordPage() {
  return (
    <SetPassword
      title="Set a new password"
      label="New password"
      submit="Set the password"
      done="Your new password is set."
      askAgain={{ href: '/forgot-password', text: 'Ask for a new link' }}
      send={resetPassword}
    />
  );
}

interface SetPasswordProps {
  readonly title: string;
  readonly label: string;
  readonly submit: string;
  /** Shown once the password is set. */
  readonly done: string;
  /** A link to the page where another link can be requested. */
  readonly askAgain: { readonly href: string; readonly text: string };
  send(token: string, password: string): Promise<unknown>;
}

/** A page that sets a password with the token of the link that opened it. */
export function SetPassword(props: SetPasswordProps) {
  const token = useLinkToken();
  return (
    <Page isNarrow title={props.title}>
      {token === '' ? (
        <AskAgain {...props.askAgain} title="This link is not complete">
          Open the whole link, or:
        </AskAgain>
      ) : (
        <PasswordForm {...props} token={token} />
      )}
    </Page>
  );
}

interface AskAgainProps {
  readonly title: string;
  readonly href: string;
  readonly text: string;
  readonly children: ReactNode;
}

function AskAgain({ title, href, text, children }: AskAgainProps) {
  return (
    <Alert variant="light" color="gray" title={title} maw={440} role="alert">
      {children}{' '}
      <PageLink href={href} inherit>
        {text}
      </PageLink>
      .
    </Alert>
  );
}

function PasswordForm({
  token,
  label,
  submit,
  done,
  askAgain,
  send,
}: SetPasswordProps & { readonly token: string }) {
  const changed = useSignedInOrOut();
  const link = useQuery({ queryKey: ['link', token], queryFn: () => findLink(token) });
  const set = useAction({
    mutationFn: (password: string) => send(token, password),
    // Not on this page: the new password ends the session, and with it the page of a signed-in user.
    onSuccess: async () => {
      notifications.show({ message: done });
      await changed('/sign-in');
    },
  });
  const form = useForm({ initialValues: { password: '' }, validate: { password: newPassword } });
  // Must be the token: a weak password has a different code, and the form has checked the length.
  if (failedWith(set.error, 'invalid')) {
    return (
      <AskAgain {...askAgain} title="This link is over">
        It was used before, or has expired.
      </AskAgain>
    );
  }
  return (
    <FormCard
      onSubmit={form.onSubmit(({ password }) => set.mutate(password), focusMistake(form))}
      submit={submit}
      isBusy={set.isPending}
      error={set.error}
    >
      <AccountName email={link.data?.email} />
      <NewPasswordField label={label} {...form.getInputProps('password')} />
    </FormCard>
  );
}
