import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from '../common/page-link.tsx';

interface SectionProps {
  /** The id of the heading, which links lead to. */
  readonly id?: string;
  readonly title: string;
  /** Pairs of address and text. */
  readonly links?: readonly (readonly [string, string])[];
  readonly isEmpty?: boolean;
  readonly children: ReactNode;
}

/** A section of a page for operators, with a notice if it is empty. */
export function Section({ id, title, links = [], isEmpty = false, children }: SectionProps) {
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4" {...(id !== undefined && { id, tabIndex: -1 })}>
          {title}
        </Title>
        <Group gap="md">
          {links.map(([address, words]) => (
            <PageLink key={address} href={address} size="sm" underline="hover">
              {words}
            </PageLink>
          ))}
        </Group>
      </Group>
      {isEmpty ? (
        <Text size="sm" c="dimmed">
          None
        </Text>
      ) : (
        children
      )}
    </Stack>
  );
}
