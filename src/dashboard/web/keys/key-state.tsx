import { Badge, Group, Stack, Text } from '@mantine/core';
import type { KeyInfo } from '../../shared/api.ts';
import { Time } from '../common/time.tsx';

const STATES = {
  active: ['accent', 'active'],
  expiring: ['yellow', 'expires soon'],
  expired: ['gray', 'expired'],
  revoked: ['gray', 'revoked'],
  banned: ['red', 'banned'],
} as const;

/** Whether a key is neither expired nor revoked; it may be banned. */
export function isLive({ state }: KeyInfo): boolean {
  return state !== 'expired' && state !== 'revoked';
}

/** The state of a key, with the time of its last or next change. */
export function KeyState({ value }: { value: KeyInfo }) {
  const [color, label] = STATES[value.state];
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={4}>
        <Badge className={`badge badge-${color}`} variant="light" color={color}>
          {label}
        </Badge>
        {value.isUnused && (
          <Badge className="badge" variant="default" title="It could be revoked.">
            unused for 90 days
          </Badge>
        )}
      </Group>
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
