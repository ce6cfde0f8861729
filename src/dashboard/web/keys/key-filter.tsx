import { Group, NativeSelect } from '@mantine/core';
import { KEY_NAME_MAX_LENGTH } from '../../../core/keys/api-keys.ts';
import type { Address } from '../common/address.ts';
import { SearchField } from '../common/search-field.tsx';
import type { ShownKeys } from './key-calls.ts';

const ENVIRONMENTS = [
  { value: '', label: 'All environments' },
  { value: 'production', label: 'Production' },
  { value: 'staging', label: 'Staging' },
] as const;
const STATES = [
  { value: '', label: 'Active, expired and revoked' },
  { value: 'true', label: 'Active' },
  { value: 'false', label: 'Expired or revoked' },
] as const;

interface KeyFilterProps {
  readonly shown: ShownKeys;
  readonly onChange: Address['change'];
}

/** The keys that the address asks for. */
export function shownKeysIn(parameters: URLSearchParams): ShownKeys {
  return {
    text: parameters.get('text')?.slice(0, KEY_NAME_MAX_LENGTH) ?? '',
    environment: chosen(ENVIRONMENTS, parameters.get('environment')),
    live: chosen(STATES, parameters.get('live')),
  };
}

/** Chooses which keys are listed. */
export function KeyFilter({ shown, onChange }: KeyFilterProps) {
  return (
    <Group gap="sm" align="flex-end">
      <SearchField
        label="Find a key"
        placeholder="Part of the name, or the last four characters"
        value={shown.text}
        maxLength={KEY_NAME_MAX_LENGTH}
        onSearch={(text) => onChange({ text }, 'text')}
        flex={1}
        miw={220}
        maw={360}
      />
      <NativeSelect
        label="Environment"
        data={ENVIRONMENTS}
        value={shown.environment}
        onChange={({ currentTarget: { value } }) => onChange({ environment: value })}
      />
      <NativeSelect
        label="State"
        data={STATES}
        value={shown.live}
        onChange={({ currentTarget: { value } }) => onChange({ live: value })}
      />
    </Group>
  );
}

function chosen<Value extends string>(
  options: readonly { readonly value: Value | '' }[],
  value: string | null,
): Value | '' {
  return options.find((option) => option.value === value)?.value ?? '';
}
