import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { SECURITY_EVENTS_PAGE } from '../../shared/bounds.ts';
import type { SecurityEventInfo } from '../../shared/security-events.ts';
import { call } from '../api.ts';
import { ACTION_TITLES } from '../common/audit-titles.ts';
import { useOlderPages } from '../common/older-pages.ts';
import { Failure } from '../common/states.tsx';
import { Time } from '../common/time.tsx';

const SECURITY_EVENTS = ['security-events'] as const;

/** The security events of the account, the latest first. */
export function useSecurityEvents() {
  return useInfiniteQuery({
    queryKey: SECURITY_EVENTS,
    queryFn: ({ pageParam }) =>
      call<{ events: SecurityEventInfo[] }>(
        'GET',
        `/security-events${pageParam === undefined ? '' : `?before=${pageParam}`}`,
      ),
    initialPageParam: olderThan([]),
    getNextPageParam: ({ events }) => olderThan(events),
  });
}

export function SecurityEvents() {
  const events = useSecurityEvents();
  const { pages, hasOlder, isLoading, showOlder } = useOlderPages(SECURITY_EVENTS, events);
  if (events.error && !events.data) return <Failure error={events.error} retry={events.refetch} />;
  const all = pages.flatMap((page) => page.events);
  return (
    <Stack gap="md">
      {all.length === 0 ? (
        <Text size="sm">Nothing yet.</Text>
      ) : (
        <ul className="rows" aria-label="Security events">
          {all.map((event) => (
            <EventRow key={event.number} event={event} />
          ))}
        </ul>
      )}
      {events.error && <Failure error={events.error} retry={events.refetch} />}
      {hasOlder && (
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          loading={isLoading}
          onClick={showOlder}
        >
          Show older events
        </Button>
      )}
    </Stack>
  );
}

function EventRow({ event }: { event: SecurityEventInfo }) {
  const { action, detail, device, address, at, by } = event;
  const from = device === null ? '' : `, ${device}, from ${address}`;
  return (
    <li>
      <Stack gap={2} miw={0}>
        <Text size="sm" fw={600}>
          {ACTION_TITLES[action]}
          {by === 'operator' && ' by an operator'}
        </Text>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {detail}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <Time at={at} />
          {from}
        </Text>
      </Stack>
    </li>
  );
}

/** The cursor of the page after these events; `undefined` after the last page. */
function olderThan(events: readonly SecurityEventInfo[]): number | undefined {
  return events.length < SECURITY_EVENTS_PAGE ? undefined : events.at(-1)?.number;
}
