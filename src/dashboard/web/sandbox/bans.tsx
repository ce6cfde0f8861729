import { Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import type { KeyInfo } from '../../shared/api.ts';
import type { SandboxInfo } from '../../shared/sandbox.ts';
import { ActionButton } from '../common/action-button.tsx';
import { readCount } from '../common/count.ts';
import { useDraft } from '../common/draft.ts';
import { keyText } from '../common/format.ts';
import { NumberField } from '../common/number-field.tsx';
import { PageLink } from '../common/page-link.tsx';
import { Pending } from '../common/states.tsx';
import { durationText } from '../common/time.tsx';
import { ALL_KEYS, useAllKeys } from '../keys/key-calls.ts';
import { Section } from './section.tsx';

const DEFAULT_SECONDS = '30';
/** Height of the fields, in px: nothing moves when the keys are loaded. */
const FIELDS_HEIGHT = 60;
const SECONDS = { min: 1, max: 86_400 };

interface BansProps {
  readonly info: SandboxInfo;
  readonly isBusy: boolean;
  readonly onBan: (keyId: string, seconds: number) => void;
  readonly onLift: (keyId: string) => void;
}

/** Bans a staging key, and ends bans. */
export function Bans({ info, isBusy, onBan, onLift }: BansProps) {
  const keys = useAllKeys({ ...ALL_KEYS, environment: 'staging', live: 'true' });
  return (
    <Section title="Ban" description="A banned key gets 429 api_key_banned until the ban ends.">
      {keys.data ? (
        <BanFields keys={keys.data} isBusy={isBusy} onBan={onBan} />
      ) : (
        <Pending query={keys} label="Loading your staging keys" height={FIELDS_HEIGHT} />
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

interface BanFieldsProps extends Pick<BansProps, 'isBusy' | 'onBan'> {
  /** The keys that can be banned. */
  readonly keys: readonly KeyInfo[];
}

function BanFields({ keys, isBusy, onBan }: BanFieldsProps) {
  const draft = useDraft('ban', { chosen: '', seconds: DEFAULT_SECONDS });
  const [values, setValues] = useState(draft.initial);
  const change = (changed: Partial<typeof values>) => {
    const next = { ...values, ...changed };
    draft.save(next);
    setValues(next);
  };
  const entered = readCount(values.seconds, SECONDS);
  const keyId = keys.find(({ id }) => id === values.chosen)?.id ?? keys[0]?.id;
  if (keyId === undefined) {
    return (
      <Text size="sm" mih={FIELDS_HEIGHT}>
        You have no staging key. Create one on{' '}
        <PageLink href="/keys" inherit>
          Keys
        </PageLink>
        .
      </Text>
    );
  }
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label="Key"
        data={keys.map(({ id, name, lastFour }) => ({
          value: id,
          label: keyText({ name, lastFour }),
        }))}
        value={keyId}
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
        onClick={() => 'count' in entered && onBan(keyId, entered.count)}
      >
        Ban the key
      </ActionButton>
    </Group>
  );
}
