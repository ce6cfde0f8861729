import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { WhileActive } from '../common/suspension.tsx';

interface SectionProps {
  readonly title: string;
  readonly description: ReactNode;
  readonly children: ReactNode;
}

/** One part of the sandbox, with its controls. */
export function Section({ title, description, children }: SectionProps) {
  return (
    <Paper component="section" withBorder p="lg" aria-label={title}>
      <Stack gap="md">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        </div>
        <WhileActive>
          <Stack gap="md">{children}</Stack>
        </WhileActive>
      </Stack>
    </Paper>
  );
}
