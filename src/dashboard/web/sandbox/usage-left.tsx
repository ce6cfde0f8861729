import { Slider, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { SandboxInfo, SandboxUsageChange, SandboxWindowInfo } from '../../shared/sandbox.ts';
import { countText } from '../common/format.ts';
import { Section } from './section.tsx';

interface UsageLeftProps {
  readonly info: SandboxInfo;
  readonly onChange: (usage: SandboxUsageChange) => void;
}

/** Sliders for the remaining requests of both windows. */
export function UsageLeft({ info: { minute, day }, onChange }: UsageLeftProps) {
  return (
    <Section title="Limits" description="How many requests are left in the windows in force.">
      <Left
        label="Left in this minute"
        window={minute}
        onChange={(minuteRemaining) => onChange({ minuteRemaining })}
      />
      <Left
        label="Left on this day (UTC)"
        window={day}
        onChange={(dayRemaining) => onChange({ dayRemaining })}
      />
    </Section>
  );
}

interface LeftProps {
  readonly label: string;
  readonly window: SandboxWindowInfo;
  readonly onChange: (left: number) => void;
}

function Left({ label, window: { limit, used }, onChange }: LeftProps) {
  const left = limit - used;
  const [shown, setShown] = useState(left);
  useEffect(() => setShown(left), [left]);
  return (
    <Stack gap={6}>
      <Text size="sm">
        {label}: <strong className="figures">{countText(shown)}</strong> of {countText(limit)}
      </Text>
      <Slider
        thumbLabel={label}
        label={null}
        min={0}
        max={limit}
        value={shown}
        onChange={setShown}
        onChangeEnd={onChange}
      />
    </Stack>
  );
}
