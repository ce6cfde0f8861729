import { Group, Text } from '@mantine/core';
import type { SandboxInfo } from '../../shared/sandbox.ts';
import { ActionButton } from '../common/action-button.tsx';
import { DAY, durationText, SECOND, Time, useNow } from '../common/time.tsx';
import { Section } from './section.tsx';

/** The removal date of getPet. */
const REMOVAL = Date.UTC(2030, 11, 5);

interface ClockProps {
  readonly info: SandboxInfo;
  readonly isBusy: boolean;
  readonly onAdvance: (seconds: number) => void;
}

/** The time of the account in staging, and buttons that move it forward. */
export function Clock({ info, isBusy, onAdvance }: ClockProps) {
  const { clockOffset, minute } = info;
  const now = useNow() + clockOffset;
  const presets = [
    ['Advance one minute', now + 60 * SECOND],
    ['Advance to the end of the minute', minute.resetsAt],
    ['Advance to tomorrow (UTC)', (Math.floor(now / DAY) + 1) * DAY],
    ['Advance to 5 December 2030', REMOVAL],
  ] as const;
  return (
    <Section
      title="Clock"
      description="In staging, windows, bans, keys, Idempotency-Keys and the removal of operations follow this clock."
    >
      <Text fw={600}>
        It is <Time at={now} />
        {clockOffset > 0 ? `, ${durationText(clockOffset)} ahead` : ', as everywhere else'}
      </Text>
      <Group gap="sm">
        {presets
          .filter(([, moment]) => moment > now)
          .map(([label, moment]) => (
            <ActionButton
              key={label}
              variant="default"
              isBusy={isBusy}
              onClick={() => onAdvance(Math.ceil((moment - now) / SECOND))}
            >
              {label}
            </ActionButton>
          ))}
      </Group>
    </Section>
  );
}
