import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { takeFocus } from './focus.ts';

let isFirstPage = true;

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons next to the heading. */
  readonly actions?: ReactNode;
  /** For a page that consists of a single form. */
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

/** The document's title for a page; a generic one while the title is not known. */
export function documentTitle(title: string | undefined): string {
  return title === undefined ? 'Petstore' : `${title} · Petstore`;
}

/** A page with its h1 and the document's title. After a navigation the heading takes the focus. */
export function Page({ title, description, actions, isNarrow = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = documentTitle(title);
  }, [title]);
  useEffect(() => {
    // On the first page the browser starts at the top anyway.
    if (!isFirstPage) takeFocus(heading.current);
    isFirstPage = false;
  }, []);
  return (
    <Stack gap="xl" className={isNarrow ? 'narrow' : ''}>
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} maw={640}>
          <Title order={1} ref={heading} tabIndex={-1} className="page-title">
            {title}
          </Title>
          {description && (
            <Text component="div" c="dimmed" className="page-description">
              {description}
            </Text>
          )}
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
