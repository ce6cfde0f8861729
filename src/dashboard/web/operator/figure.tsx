import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly children: ReactNode;
}

/** A number with its title. */
export function Figure({ title, value, children }: FigureProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="xl" fw={700}>
        {value}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </Paper>
  );
}
