import { Button, Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { ENVIRONMENTS } from '../../../core/environments.ts';
import { PET_STATUSES } from '../../../core/pets/pets.ts';
import { ENVIRONMENT_TITLES } from '../common/format.ts';
import { TYPING_PAUSE } from '../common/typing-pause.ts';
import type { PetsView } from './pets-view.ts';

const STATUSES = [
  { value: '', label: 'All' },
  ...PET_STATUSES.map((status) => ({ value: status, label: status })),
];

/** Longer than any id. */
const MOST_DIGITS = 20;

interface PetFiltersProps {
  readonly view: PetsView;
  readonly onChange: (changed: Partial<PetsView>) => void;
}

/** Chooses which animals are listed. */
export function PetFilters({ view, onChange }: PetFiltersProps) {
  const { environment, status, id } = view;
  return (
    <Group component="section" gap="md" align="flex-end" aria-label="Filters">
      <SegmentedControl
        aria-label="Environment"
        value={environment}
        data={ENVIRONMENTS.map((name) => ({ value: name, label: ENVIRONMENT_TITLES[name] }))}
        onChange={(value) => {
          const chosen = ENVIRONMENTS.find((name) => name === value);
          if (chosen) onChange({ environment: chosen });
        }}
      />
      <NativeSelect
        label="Status"
        data={STATUSES}
        value={status}
        onChange={({ currentTarget: { value } }) =>
          onChange({ status: PET_STATUSES.find((each) => each === value) ?? '' })
        }
      />
      <IdField value={id} onChange={(value) => onChange({ id: value })} />
      <Button
        variant="default"
        disabled={status === '' && id === ''}
        onClick={() => onChange({ status: '', id: '' })}
      >
        Clear all filters
      </Button>
    </Group>
  );
}

interface IdFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field that searches while the user types. */
function IdField({ value, onChange }: IdFieldProps) {
  const [entered, enter] = useState(value);
  const search = useDebouncedCallback(onChange, TYPING_PAUSE);
  useEffect(() => enter(value), [value]);
  return (
    <TextInput
      label="Id"
      placeholder="7"
      inputMode="numeric"
      autoComplete="off"
      maxLength={MOST_DIGITS}
      value={entered}
      onChange={({ currentTarget: { value } }) => {
        enter(value);
        search(value.trim());
      }}
      w={160}
    />
  );
}
