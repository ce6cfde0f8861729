import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../api.ts';
import { Page } from '../common/page.tsx';
import { Loading } from '../common/states.tsx';
import { useFactors } from '../second-factor/factor-calls.ts';
import { SecondFactors } from '../second-factor/second-factors.tsx';
import { ChangePassword } from './change-password.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { SecurityEvents, useSecurityEvents } from './security-events.tsx';
import { Sessions, useSessions } from './sessions.tsx';

const ADVICE = 'If one was not you, change your password and end your other sessions.';

/** Changing the password, second factors, ending sessions, deleting the account. */
export default function AccountPage() {
  const email = useSession().data?.account?.email ?? '';
  // Keeps the content below from moving when the sessions are loaded.
  const { isPending } = useSessions();
  const factors = useFactors();
  const events = useSecurityEvents();
  return (
    <Page title="Account" description={email}>
      {isPending || factors.isPending || events.isPending ? (
        <Loading label="Loading your account" height={560} />
      ) : (
        <Sections />
      )}
    </Page>
  );
}

function Sections() {
  return (
    <>
      <Section title="Password" description="Changing it ends your sessions in other browsers.">
        <ChangePassword />
      </Section>
      <Section
        title="Second factor"
        description="Asked for after your password. A passkey signs you in without one, too."
      >
        <SecondFactors />
      </Section>
      <Section title="Sessions" description="Where you are signed in.">
        <Sessions />
      </Section>
      <Section
        title="Security events"
        description={`Sign-ins, and changes to your password and second factors, of the last 90 days. ${ADVICE}`}
      >
        <SecurityEvents />
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
