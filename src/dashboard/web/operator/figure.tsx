import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from '../common/page-link.tsx';

interface FigureProps {
  readonly title: string;
  readonly value: string;
  /** The address of the list that the number counts. */
  readonly href?: string;
  /** Called when the address is followed. */
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A number with its title, which leads to what it counts. */
export function Figure({ title, value, href, onClick, children }: FigureProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="xl" fw={700}>
        {href === undefined ? (
          value
        ) : (
          <PageLink
            href={href}
            inherit
            underline="hover"
            aria-label={`${title}: ${value}`}
            {...(onClick && { onClick })}
          >
            {value}
          </PageLink>
        )}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </Paper>
  );
}
