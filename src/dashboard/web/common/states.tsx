import { Alert, Button, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { failedWith, isFinal, isTooMany, TOO_MANY_TITLE } from '../api.ts';
import { withoutFilters } from './address.ts';

/** A placeholder with the size of the content that is loading, so that nothing moves. */
export function Loading({ label, height = 240 }: { label: string; height?: number | string }) {
  return (
    <div role="status" aria-busy="true">
      <VisuallyHidden>{label}</VisuallyHidden>
      <Skeleton height={height} radius="md" aria-hidden="true" />
    </div>
  );
}

interface FailureProps {
  readonly error: unknown;
  /** Repeats a query. */
  readonly retry?: () => unknown;
}

/** Shows an error, with what to do about it if `retry` is given. */
export function Failure({ error, retry }: FailureProps) {
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={isTooMany(error) ? TOO_MANY_TITLE : 'That did not work'}
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        {retry && <Remedy error={error} retry={retry} />}
      </Stack>
    </Alert>
  );
}

/** Leaves out the parameters of the address that a query may be refused for, or repeats it if that can help. */
function Remedy({ error, retry }: Required<FailureProps>) {
  const [path] = useLocation();
  const search = useSearch();
  if (isFinal(error) && search !== '') {
    return (
      <Button component={Link} href={path + withoutFilters(search)} size="xs" variant="default">
        Show the page without filters
      </Button>
    );
  }
  if (failedWith(error, 'not_found')) return null;
  return (
    <Button size="xs" variant="default" onClick={() => void retry()}>
      Try again
    </Button>
  );
}

interface PendingProps {
  readonly query: { readonly error: unknown; refetch(): unknown };
  readonly label: string;
  readonly height: number | string;
}

/** Shown while a query has no data: its error, or a placeholder. */
export function Pending({ query: { error, refetch }, label, height }: PendingProps) {
  if (error) return <Failure error={error} retry={refetch} />;
  return <Loading label={label} height={height} />;
}

/** The message of an error, for display. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something unexpected happened.';
}

/** Shown instead of an empty list; the children say what to do next. */
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
