import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { PLANS } from '../../../core/limits/plans.ts';
import type { AccountInfo } from '../../shared/api.ts';
import { limitsText } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { Time } from '../common/time.tsx';

interface AccountListProps {
  readonly accounts: readonly AccountInfo[];
  readonly caption: string;
  choose(account: AccountInfo): void;
}

/** Accounts, with the operator's actions on each. */
export function AccountList({ accounts, caption, choose }: AccountListProps) {
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed" aria-hidden="true">
        {caption}
      </Text>
      <Paper component="ul" withBorder className="entries" aria-label="Accounts">
        {accounts.map((account) => (
          <li key={account.id} className="entry account">
            <Group gap="xs">
              <PageLink
                href={`/operator/accounts/${account.id}`}
                fw={600}
                className="entry-title"
                underline="hover"
              >
                {account.email}
              </PageLink>
              {account.suspended && (
                <Badge variant="light" color="red">
                  Suspended
                </Badge>
              )}
              {account.role === 'operator' && (
                <Badge variant="light" color="grape">
                  Operator
                </Badge>
              )}
            </Group>
            <div>
              <Text size="sm" fw={600}>
                {PLANS[account.plan].title}
              </Text>
              <Text size="sm" c="dimmed">
                {limitsText(account.limits)}
              </Text>
            </div>
            <Text size="sm" c="dimmed">
              Since <Time at={account.createdAt} />
            </Text>
            <Button
              variant="default"
              aria-label={`Change plan of ${account.email}`}
              onClick={() => choose(account)}
            >
              Change plan
            </Button>
          </li>
        ))}
      </Paper>
    </Stack>
  );
}
