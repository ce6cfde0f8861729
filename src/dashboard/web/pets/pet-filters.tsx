import { Button, Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { ENVIRONMENTS } from '../../../core/environments.ts';
import { PET_STATUSES } from '../../../core/pets/pets.ts';
import { ENVIRONMENT_TITLES } from '../common/format.ts';
import { SearchField } from '../common/search-field.tsx';
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
      <SearchField
        type="text"
        label="Id"
        placeholder="7"
        inputMode="numeric"
        maxLength={MOST_DIGITS}
        value={id}
        onSearch={(text) => onChange({ id: text.trim() })}
        w={160}
      />
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
