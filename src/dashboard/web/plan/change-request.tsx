import { Anchor, Paper, Stack, Text, Title } from '@mantine/core';
import type { AccountInfo } from '../../shared/api.ts';

interface ChangeRequestProps {
  readonly account: AccountInfo;
  /** The e-mail or web address that the operator has configured, if any. */
  readonly contact: string | null;
}

/** How to ask for another plan. */
export function ChangeRequest({ account, contact }: ChangeRequestProps) {
  return (
    <Paper component="section" withBorder p="lg" aria-label="Change your plan">
      <Stack gap="xs">
        <Title order={2} size="h4">
          Change your plan
        </Title>
        {contact === null ? (
          <Text>
            Ask the operator of this service. Say which account it is for: {account.email}.
          </Text>
        ) : (
          <Text>
            Write to{' '}
            <Anchor href={linkTo(contact, account.email)} underline="always">
              {contact}
            </Anchor>{' '}
            and say which plan you need for {account.email}.
          </Text>
        )}
        <Text size="sm" c="dimmed">
          A new plan applies from your next request on. Your keys do not change.
        </Text>
      </Stack>
    </Paper>
  );
}

function linkTo(contact: string, email: string): string {
  if (/^https?:/i.test(contact)) return contact;
  const [local = '', domain = ''] = contact.split('@');
  return `mailto:${encodeURIComponent(local)}@${domain}?subject=${encodeURIComponent(`Petstore plan for ${email}`)}`;
}
