import { Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { ENVIRONMENTS } from '../../../core/environments.ts';
import type { UsageInfo, WindowInfo } from '../../shared/usage.ts';
import { countText, ENVIRONMENT_TITLES } from '../common/format.ts';
import { Until, WindowEnd } from '../common/time.tsx';

/** Usage of both windows of each environment, compared with the plan's limits. */
export function Windows({ windows }: { readonly windows: UsageInfo['windows'] }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      {ENVIRONMENTS.map((environment) => {
        const { minute, day, bannedUntil } = windows[environment];
        const ban = bannedUntil === undefined ? {} : { bannedUntil };
        const title = ENVIRONMENT_TITLES[environment];
        return (
          <Paper key={environment} component="section" withBorder p="lg" aria-label={title}>
            <Stack gap="lg">
              <Title order={2} size="h4">
                {title}
              </Title>
              <Window
                name="This minute"
                of={`${title}, this minute`}
                window={minute}
                isLazy
                {...ban}
              />
              <Window name="Today (UTC)" of={`${title}, today`} window={day} {...ban} />
            </Stack>
          </Paper>
        );
      })}
    </SimpleGrid>
  );
}

interface WindowProps {
  readonly name: string;
  /** The accessible name of the bar. */
  readonly of: string;
  readonly window: WindowInfo;
  /** Whether the window begins with its first request instead of at a fixed time. */
  readonly isLazy?: boolean;
  /** The end of the ban, while every key is banned. */
  readonly bannedUntil?: number;
}

function Window({ name, of, window, isLazy = false, bannedUntil }: WindowProps) {
  const { limit, remaining, resetAt, afterBan = remaining } = window;
  const left = `${countText(remaining)} of ${countText(limit)} left`;
  const percent = (100 * remaining) / limit;
  const isWaiting = isLazy && remaining === limit && bannedUntil === undefined;
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fw={600} className="figures">
        {left}
      </Text>
      <Progress
        value={percent}
        color={colorOf(percent)}
        size="lg"
        aria-label={`${of}: ${left}`}
        transitionDuration={200}
      />
      <Text size="sm" c="dimmed" className="figures">
        {bannedUntil !== undefined ? (
          <>
            Banned; {countText(afterBan)} left in <Until at={bannedUntil} />
          </>
        ) : isWaiting ? (
          'Starts with your next request'
        ) : (
          <>
            Resets in <Until at={resetAt} />
          </>
        )}
      </Text>
      {/* On a separate line, because a countdown next to it would move it. */}
      <Text size="xs" c="dimmed" className="figures" mih={18}>
        {isWaiting ? null : (
          <>
            at <WindowEnd at={bannedUntil ?? resetAt} />
          </>
        )}
      </Text>
    </Stack>
  );
}

function colorOf(percent: number): string {
  if (percent === 0) return 'var(--usage-used-up)';
  return percent <= 20 ? 'var(--usage-scarce)' : 'var(--usage-ample)';
}
