import { Button, Group } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { SandboxInfo, SandboxUsageChange, SandboxWindowInfo } from '../../shared/sandbox.ts';
import { readCount } from '../common/count.ts';
import { useDraft } from '../common/draft.ts';
import { countText } from '../common/format.ts';
import { NumberField } from '../common/number-field.tsx';
import { Section } from './section.tsx';

/** Delay between the last change of a number and its request, in ms. */
const PAUSE = 600;

/** What the arrow keys add. */
const STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1 };

interface UsageLeftProps {
  readonly info: SandboxInfo;
  /** Resolves once the change has succeeded or failed, to whether it failed because the session has ended. */
  readonly onChange: (usage: SandboxUsageChange) => Promise<boolean>;
}

/** Number fields for the remaining requests of both windows. */
export function UsageLeft({ info: { minute, day }, onChange }: UsageLeftProps) {
  return (
    <Section
      title="Limits"
      description="How many requests are left in the windows in force. A new number applies at once."
    >
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
  readonly onChange: (left: number) => Promise<boolean>;
}

function Left({ label, window: { limit, used }, onChange }: LeftProps) {
  const left = limit - used;
  const { text, enter, step, save } = useEntry(label, left, limit, onChange);
  const entered = readCount(text, { min: 0, max: limit });
  const shown = 'count' in entered ? entered.count : left;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (event.key === 'Enter') save();
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  };
  return (
    <Group align="flex-end" gap="xs">
      <NumberField
        label={label}
        description={`Of ${countText(limit)}`}
        role="spinbutton"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={shown}
        value={text}
        error={'problem' in entered && entered.problem}
        onChange={({ currentTarget: { value } }) => enter(value)}
        onKeyDown={onKeyDown}
        onBlur={save}
        w={220}
      />
      <Button variant="default" onClick={() => step(-1)} aria-label={`One fewer: ${label}`}>
        −
      </Button>
      <Button variant="default" onClick={() => step(1)} aria-label={`One more: ${label}`}>
        +
      </Button>
      <Button variant="default" onClick={() => step(-limit)} aria-label={`Leave none: ${label}`}>
        Leave none
      </Button>
      <Button variant="default" onClick={() => step(limit)} aria-label={`Leave all: ${label}`}>
        Leave all
      </Button>
    </Group>
  );
}

/**
 * The number that is entered, and then the one in force. Changes in quick succession are one change to the last
 * number. One that was entered in an expired session applies after signing in.
 */
function useEntry(label: string, left: number, limit: number, onChange: LeftProps['onChange']) {
  const draft = useDraft(label, { text: '' });
  const [entry, setEntry] = useState<string>();
  // Several keys may be pressed before the page is rendered again.
  const latest = useRef<string>(undefined);
  const bounds = { min: 0, max: limit };
  const keep = (text: string | undefined) => {
    latest.current = text;
    draft.save({ text: text ?? '' });
    setEntry(text);
  };
  const send = useDebouncedCallback(
    (text: string) => {
      const entered = readCount(text, bounds);
      if ('problem' in entered) return;
      const end = (hasSessionEnded: boolean) => {
        if (latest.current === text && !hasSessionEnded) keep(undefined);
      };
      if (entered.count === left) end(false);
      else void onChange(entered.count).then(end);
    },
    { delay: PAUSE, flushOnUnmount: true },
  );
  const enter = (text: string) => {
    keep(text);
    send(text);
  };
  const resume = useEffectEvent(() => {
    if (draft.initial.text !== '') enter(draft.initial.text);
  });
  useEffect(() => resume(), []);
  const step = (by: number) => {
    const entered = readCount(latest.current ?? String(left), bounds);
    const from = 'count' in entered ? entered.count : left;
    enter(countText(Math.min(limit, Math.max(0, from + by))));
  };
  return { text: entry ?? countText(left), enter, step, save: send.flush };
}
