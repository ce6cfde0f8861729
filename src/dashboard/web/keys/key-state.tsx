import { Badge, Stack, Text } from '@mantine/core';
import type { KeyInfo } from '../../shared/api.ts';
import { Time } from '../common/time.tsx';

const COLORS = {
  active: 'accent',
  expiring: 'yellow',
  expired: 'gray',
  revoked: 'gray',
  banned: 'red',
} as const;

/** The state of a key, with the time of its last or next change. */
export function KeyState({ value }: { value: KeyInfo }) {
  return (
    <Stack gap={2} align="flex-start">
      <Badge
        className={`badge badge-${COLORS[value.state]}`}
        variant="light"
        color={COLORS[value.state]}
      >
        {value.state}
      </Badge>
      <Text size="xs" c="dimmed" component="div">
        <Detail value={value} />
      </Text>
    </Stack>
  );
}

function Detail({ value }: { value: KeyInfo }) {
  if (value.ban) {
    return (
      <>
        until <Time at={value.ban.until} />: {value.ban.reason}
      </>
    );
  }
  if (value.state === 'revoked') return value.revokedAt && <Time at={value.revokedAt} />;
  if (value.expiresAt === null) return null;
  return (
    <>
      {value.state === 'expired' ? '' : 'until '}
      <Time at={value.expiresAt} />
    </>
  );
}
