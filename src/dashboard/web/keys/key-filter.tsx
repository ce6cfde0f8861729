import { Group, NativeSelect, TextInput } from '@mantine/core';
import { KEY_NAME_MAX_LENGTH } from '../../../core/keys/api-keys.ts';
import type { ShownKeys } from './key-calls.ts';

const ENVIRONMENTS = [
  { value: '', label: 'All environments' },
  { value: 'production', label: 'Production' },
  { value: 'staging', label: 'Staging' },
] as const;
const STATES = [
  { value: '', label: 'Live and ended' },
  { value: 'true', label: 'Live' },
  { value: 'false', label: 'Expired or revoked' },
] as const;

interface KeyFilterProps {
  readonly shown: ShownKeys;
  readonly onChange: (shown: ShownKeys) => void;
}

/** Chooses which keys are listed. */
export function KeyFilter({ shown, onChange }: KeyFilterProps) {
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        type="search"
        label="Find a key"
        placeholder="Part of the name, or the last four characters"
        value={shown.text}
        maxLength={KEY_NAME_MAX_LENGTH}
        onChange={({ currentTarget: { value } }) => onChange({ ...shown, text: value })}
        autoComplete="off"
        spellCheck={false}
        flex={1}
        miw={220}
        maw={360}
      />
      <NativeSelect
        label="Environment"
        data={ENVIRONMENTS}
        value={shown.environment}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...shown, environment: chosen(ENVIRONMENTS, value) })
        }
      />
      <NativeSelect
        label="State"
        data={STATES}
        value={shown.live}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...shown, live: chosen(STATES, value) })
        }
      />
    </Group>
  );
}

function chosen<Value extends string>(
  options: readonly { readonly value: Value | '' }[],
  value: string,
): Value | '' {
  return options.find((option) => option.value === value)?.value ?? '';
}
