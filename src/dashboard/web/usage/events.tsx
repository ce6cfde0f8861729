import { Badge, Paper, Stack, Text, Title } from '@mantine/core';
import type { UsageEvent } from '../../shared/api.ts';
import { Time } from '../common/time.tsx';
import { SteadyList } from '../live/steady-list.tsx';
import { countText } from './outcomes.ts';

/** The refused requests and bans of the last 30 days as a list. */
export function Events({ events }: { readonly events: readonly UsageEvent[] }) {
  return (
    <Paper component="section" withBorder p="lg" aria-label="Refused and banned">
      <Stack gap="md">
        <Stack gap={2}>
          <Title order={2} size="h4">
            Refused and banned
          </Title>
          <Text size="sm" c="dimmed">
            The last 30 days. Wait as long as Retry-After says, and neither happens.
          </Text>
        </Stack>
        {events.length === 0 ? (
          <Text size="sm">Nothing: no request was refused, no key banned.</Text>
        ) : (
          <SteadyList label="Events" newest={events[0] ? keyOf(events[0]) : ''} height={320}>
            {events.map((event) => (
              <li key={keyOf(event)} className="event">
                {event.kind === 'refused' ? <Refused event={event} /> : <Banned event={event} />}
              </li>
            ))}
          </SteadyList>
        )}
      </Stack>
    </Paper>
  );
}

type Kind<K extends UsageEvent['kind']> = { readonly event: Extract<UsageEvent, { kind: K }> };

function Refused({ event: { at, environment, count } }: Kind<'refused'>) {
  const requests = count === 1 ? '1 request' : `${countText(count)} requests`;
  return (
    <>
      <Badge className="event-kind" color="grape" variant="light">
        Refused
      </Badge>
      <Text size="sm">
        {`${requests} to ${environment} over the limit, answered with 429, in the hour from `}
        <Time at={at} />.
      </Text>
    </>
  );
}

function Banned({ event }: Kind<'banned'>) {
  const { at, environment, keyName, lastFour, until, reason, liftedAt } = event;
  return (
    <>
      <Badge className="event-kind" color="red" variant="light">
        Banned
      </Badge>
      <Stack gap={2}>
        <Text size="sm">
          {`The ${environment} key “${keyName}” (…${lastFour}), from `}
          <Time at={at} /> until <Time at={until} />
          {liftedAt !== null && (
            <>
              ; lifted <Time at={liftedAt} />
            </>
          )}
          .
        </Text>
        <Text size="sm" c="dimmed">
          {reason}
        </Text>
      </Stack>
    </>
  );
}

function keyOf(event: UsageEvent): string {
  const what = event.kind === 'refused' ? 'refused' : `banned ${event.keyName} ${event.lastFour}`;
  return `${event.at} ${event.environment} ${what}`;
}
