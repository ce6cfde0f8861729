import { Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import type { SandboxInfo } from '../../shared/sandbox.ts';
import { ActionButton } from '../common/action-button.tsx';
import { readCount } from '../common/count.ts';
import { useDraft } from '../common/draft.ts';
import { keyText } from '../common/format.ts';
import { NumberField } from '../common/number-field.tsx';
import { durationText } from '../common/time.tsx';
import { ALL_KEYS, useAllKeys } from '../keys/key-calls.ts';
import { Section } from './section.tsx';

const DEFAULT_SECONDS = '30';
const SECONDS = { min: 1, max: 86_400 };

interface BansProps {
  readonly info: SandboxInfo;
  readonly isBusy: boolean;
  readonly onBan: (keyId: string, seconds: number) => void;
  readonly onLift: (keyId: string) => void;
}

/** Bans a staging key, and ends bans. */
export function Bans({ info, isBusy, onBan, onLift }: BansProps) {
  const live = useAllKeys({ ...ALL_KEYS, environment: 'staging', live: 'true' }).data ?? [];
  const draft = useDraft('ban', { chosen: '', seconds: DEFAULT_SECONDS });
  const [values, setValues] = useState(draft.initial);
  const change = (changed: Partial<typeof values>) => {
    const next = { ...values, ...changed };
    draft.save(next);
    setValues(next);
  };
  const entered = readCount(values.seconds, SECONDS);
  const keyId = live.find(({ id }) => id === values.chosen)?.id ?? live[0]?.id;
  return (
    <Section title="Ban" description="A banned key gets 429 api_key_banned until the ban ends.">
      {live.length === 0 ? (
        <Text size="sm">You have no staging key. Create one under Keys.</Text>
      ) : (
        <Group align="flex-end" gap="sm">
          <Select
            label="Key"
            data={live.map(({ id, name, lastFour }) => ({
              value: id,
              label: keyText({ name, lastFour }),
            }))}
            value={keyId ?? null}
            onChange={(chosen) => change({ chosen: chosen ?? '' })}
            allowDeselect={false}
          />
          <NumberField
            label="Seconds"
            value={values.seconds}
            error={'problem' in entered && entered.problem}
            onChange={({ currentTarget: { value } }) => change({ seconds: value })}
            w={220}
          />
          <ActionButton
            variant="default"
            isBusy={isBusy}
            disabled={'problem' in entered}
            onClick={() => keyId && 'count' in entered && onBan(keyId, entered.count)}
          >
            Ban the key
          </ActionButton>
        </Group>
      )}
      {info.bans.map((ban) => (
        <Group key={ban.keyId} gap="sm">
          <Text size="sm" miw={0}>
            {keyText({ name: ban.keyName, lastFour: ban.lastFour })} is banned for{' '}
            {durationText(ban.endsAt - info.now)}
          </Text>
          <ActionButton
            size="xs"
            variant="default"
            isBusy={isBusy}
            onClick={() => onLift(ban.keyId)}
            aria-label={`End the ban of ${keyText({ name: ban.keyName, lastFour: ban.lastFour })}`}
          >
            End the ban
          </ActionButton>
        </Group>
      ))}
    </Section>
  );
}
