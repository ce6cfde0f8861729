import { Badge, Paper, Stack, Text, Title } from '@mantine/core';
import { PLANS, type Plan } from '../../../core/limits/plans.ts';
import type { AccountInfo } from '../../shared/api.ts';
import { countText } from '../common/format.ts';

interface PlanCardProps {
  readonly plan: Plan;
  readonly account: AccountInfo;
}

/** One plan with its limits: the published ones, or the account's own for Enterprise. */
export function PlanCard({ plan, account }: PlanCardProps) {
  const isOwn = account.plan === plan;
  const { title, limits: published } = PLANS[plan];
  const limits = isOwn ? account.limits : published;
  return (
    <Paper
      component="li"
      withBorder
      p="lg"
      className="plan-card"
      mod={{ own: isOwn }}
      aria-current={isOwn || undefined}
    >
      <Stack gap="lg">
        <Title order={2} size="h4">
          {title}
        </Title>
        {isOwn && (
          <Badge variant="filled" className="plan-own">
            Your plan
          </Badge>
        )}
        <Figure count={limits?.perMinute} unit="requests per minute" />
        <Figure count={limits?.perDay} unit="requests per UTC day" />
      </Stack>
    </Paper>
  );
}

function Figure({ count, unit }: { readonly count: number | undefined; readonly unit: string }) {
  return (
    <div>
      <Text fz="xl" fw={650} lh={1.2}>
        {count === undefined ? 'Custom' : countText(count)}
      </Text>
      <Text size="sm" c="dimmed">
        {unit}
      </Text>
    </div>
  );
}
