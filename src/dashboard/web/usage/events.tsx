import { Badge, Paper, Stack, Text, Title } from '@mantine/core';
import type { UsageEvent } from '../../shared/usage.ts';
import { countText, quotedKeyText } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { HOUR, Time } from '../common/time.tsx';
import { SteadyList } from '../live/steady-list.tsx';
import { BEFORE_BAN, requestsAddress } from './selection.ts';

interface EventsProps {
  readonly events: readonly UsageEvent[];
  /** The account, for operators; by default the user's own. */
  readonly accountId: string | undefined;
}

/** The requests with 429 and the bans of the last 30 days as a list. */
export function Events({ events, accountId }: EventsProps) {
  return (
    <Paper component="section" withBorder p="lg" aria-label="429 and bans">
      <Stack gap="md">
        <Stack gap={2}>
          <Title order={2} size="h4">
            429 and bans
          </Title>
          <Text size="sm" c="dimmed">
            The last 30 days. A client that waits as long as Retry-After says avoids both.
          </Text>
        </Stack>
        {events.length === 0 ? (
          <Text size="sm">Nothing: no request got 429, no key was banned.</Text>
        ) : (
          <SteadyList label="Events" newest={events[0] ? keyOf(events[0]) : ''} height={320}>
            {events.map((event) => (
              <li key={keyOf(event)} className="event">
                {event.kind === 'refused' ? (
                  <Refused event={event} accountId={accountId} />
                ) : (
                  <Banned event={event} accountId={accountId} />
                )}
              </li>
            ))}
          </SteadyList>
        )}
      </Stack>
    </Paper>
  );
}

interface Kind<K extends UsageEvent['kind']> extends Pick<EventsProps, 'accountId'> {
  readonly event: Extract<UsageEvent, { kind: K }>;
}

function Refused({ event, accountId }: Kind<'refused'>) {
  const { at, environment, count, hours = 1 } = event;
  const log = { account: accountId, environment, status: '429' } as const;
  const requests = count === 1 ? '1 request' : `${countText(count)} requests`;
  return (
    <>
      <Badge className="event-kind" color="grape" variant="light">
        429
      </Badge>
      <Text size="sm">
        {`${requests} to ${environment} were over the limit in the ${hours === 1 ? 'hour' : 'day'} from `}
        <Time at={at} />.
        <LogLink address={requestsAddress({ ...log, from: at, to: at + hours * HOUR })} />
      </Text>
    </>
  );
}

function Banned({ event, accountId }: Kind<'banned'>) {
  const { at, environment, keyId, keyName, lastFour, until, reason, liftedAt } = event;
  const log = { account: accountId, environment, key: keyId, status: '429' } as const;
  return (
    <>
      <Badge className="event-kind" color="red" variant="light">
        Banned
      </Badge>
      <Stack gap={2}>
        <Text size="sm">
          {`The ${environment} key ${quotedKeyText({ name: keyName, lastFour })}, from `}
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
          <LogLink address={requestsAddress({ ...log, from: at - BEFORE_BAN, to: until })} />
        </Text>
      </Stack>
    </>
  );
}

function LogLink({ address }: { readonly address: string }) {
  return (
    <>
      {' '}
      <PageLink href={address} inherit>
        Show the requests
      </PageLink>
    </>
  );
}

function keyOf(event: UsageEvent): string {
  const what = event.kind === 'refused' ? 'refused' : `banned ${event.keyName} ${event.lastFour}`;
  return `${event.at} ${event.environment} ${what}`;
}
