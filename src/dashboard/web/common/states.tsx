import { Alert, Button, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Takes the place of what is being loaded, so that nothing jumps when it comes. */
export function Loading({ label, height = 240 }: { label: string; height?: number | string }) {
  return (
    <div role="status" aria-busy="true">
      <VisuallyHidden>{label}</VisuallyHidden>
      <Skeleton height={height} radius="md" aria-hidden="true" />
    </div>
  );
}

/** Says what failed, and offers to try again where that makes sense. */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title="That did not work"
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={() => void retry()}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** What to show a person of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something unexpected happened.';
}

/** Takes the place of a list with nothing in it; the children say what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Stack className="empty" align="center" gap="xs" py={48} px="md" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text component="div" c="dimmed" size="sm" maw={440}>
        {children}
      </Text>
    </Stack>
  );
}
