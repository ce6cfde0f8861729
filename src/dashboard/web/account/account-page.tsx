import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../api.ts';
import { Page } from '../common/page.tsx';
import { Loading } from '../common/states.tsx';
import { ChangePassword } from './change-password.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { Sessions, useSessions } from './sessions.tsx';

/** Changing the password, ending sessions, deleting the account. */
export default function AccountPage() {
  const email = useSession().data?.account?.email ?? '';
  // Keeps the content below from jumping when the sessions are loaded.
  const { isPending } = useSessions();
  return (
    <Page title="Account" description={email}>
      {isPending ? <Loading label="Loading your account" height={560} /> : <Sections />}
    </Page>
  );
}

function Sections() {
  return (
    <>
      <Section title="Password" description="Changing it ends your sessions in other browsers.">
        <ChangePassword />
      </Section>
      <Section title="Sessions" description="Where you are signed in.">
        <Sessions />
      </Section>
      <Section
        title="Delete account"
        description="Its keys stop working at once. This cannot be undone."
      >
        <DeleteAccount />
      </Section>
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly description: string;
  readonly children: ReactNode;
}

function Section({ title, description, children }: SectionProps) {
  return (
    <Stack component="section" gap="md">
      <div>
        <Title order={2} size="h3">
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      </div>
      {children}
    </Stack>
  );
}
