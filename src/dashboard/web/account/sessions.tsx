import { Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { SessionEntry } from '../../shared/api.ts';
import { deviceOf } from '../../shared/device.ts';
import { useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';
import { Time } from '../common/time.tsx';
import { endSession, listSessions, useSignedInOrOut } from '../sign-in/authentication.ts';

/** The key of the query that lists sessions. */
export const SESSIONS = ['sessions'] as const;

/** The sessions of the user, the latest first. */
export function useSessions() {
  return useQuery({ queryKey: SESSIONS, queryFn: listSessions });
}

export function Sessions() {
  const sessions = useSessions();
  if (sessions.error) return <Failure error={sessions.error} retry={sessions.refetch} />;
  return (
    <ul className="rows">
      {sessions.data?.map((session) => (
        <SessionRow key={session.id} session={session} />
      ))}
    </ul>
  );
}

function SessionRow({ session }: { session: SessionEntry }) {
  const client = useQueryClient();
  const changed = useSignedInOrOut();
  const end = useAction({
    mutationFn: endSession,
    async onSuccess() {
      if (session.current) await changed('/');
      else await client.invalidateQueries({ queryKey: SESSIONS });
    },
  });
  const browser = deviceOf(session.userAgent ?? '');
  return (
    <li>
      <Group justify="space-between" wrap="nowrap">
        <Stack gap={2}>
          <Text size="sm" fw={600}>
            {browser}
            {session.current && ', this one'}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            Signed in <Time at={Date.parse(session.createdAt)} />
            {session.ipAddress ? `, from ${session.ipAddress}` : ''}
          </Text>
        </Stack>
        <ActionButton
          size="xs"
          variant="default"
          flex="none"
          isBusy={end.isPending}
          aria-label={session.current ? 'End this session' : `End the session in ${browser}`}
          onClick={() => end.mutate(session.id)}
        >
          {session.current ? 'End this session' : 'End the session'}
        </ActionButton>
      </Group>
      {end.error && <Failure error={end.error} />}
    </li>
  );
}
