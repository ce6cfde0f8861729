import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly description: ReactNode;
  readonly children: ReactNode;
}

/** One part of the sandbox. */
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
        {children}
      </Stack>
    </Paper>
  );
}
