import { Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { KeyInfo } from '../../shared/api.ts';
import { requestIdIn } from '../../shared/request-id.ts';
import { keyText, LAST_OF_TIME_FIELDS } from '../common/format.ts';
import { SearchField } from '../common/search-field.tsx';
import { localText } from './local-text.ts';
import type { FilterName } from './request-calls.ts';

/** Delay between the last keystroke and the search, in ms. */
const TYPING = 300;

const ENVIRONMENTS = [
  { value: '', label: 'Both' },
  { value: 'production', label: 'Production' },
  { value: 'staging', label: 'Staging' },
];

const STATUSES = [
  { value: '', label: 'All' },
  { value: '2xx', label: '2xx succeeded' },
  { value: '4xx', label: '4xx errors of the request' },
  { value: '429', label: '429 over the limit, or banned' },
  { value: '5xx', label: '5xx errors of the service' },
];

interface FiltersProps {
  readonly filters: URLSearchParams;
  /** @param isTyped whether the value was typed in a field, which changes it several times. */
  readonly onChange: (name: FilterName, value: string, isTyped: boolean) => void;
  readonly onClear: () => void;
  /** The keys to choose from. */
  readonly keys: readonly KeyInfo[];
}

/** The filters, all of which are part of the page's address. */
export function RequestFilters({ filters, onChange, onClear, keys }: FiltersProps) {
  const value = (name: FilterName) => filters.get(name) ?? '';
  // New search fields, so that text typed just before is not searched for after all.
  const [clears, setClears] = useState(0);
  const select = (name: FilterName, label: string, options: readonly Option[]) => (
    <NativeSelect
      label={label}
      data={withValue(options, value(name))}
      value={value(name)}
      onChange={({ currentTarget }) => onChange(name, currentTarget.value, false)}
    />
  );
  const text = (name: FilterName, label: string, placeholder: string) => (
    <SearchField
      key={`${name} ${clears}`}
      type="text"
      label={label}
      placeholder={placeholder}
      value={value(name)}
      onSearch={(entered) => onChange(name, entered, true)}
      pause={TYPING}
    />
  );
  return (
    <section aria-label="Filters">
      <Group align="flex-end" gap="md" mb="md">
        <SearchField
          key={`id ${clears}`}
          className="request-search"
          label="X-Request-Id"
          placeholder="The id of a reply, an error or your log"
          value={value('id')}
          leftSection={<IconSearch size={16} aria-hidden />}
          onSearch={(entered) => onChange('id', requestIdIn(entered), true)}
          pause={TYPING}
        />
        <Button
          variant="default"
          disabled={filters.size === 0}
          onClick={() => {
            setClears(clears + 1);
            onClear();
          }}
        >
          Clear all filters
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md">
        {select('environment', 'Environment', ENVIRONMENTS)}
        {select('status', 'Status', STATUSES)}
        {text('code', 'Error code', 'rate_limited')}
        {text('path', 'Path or query', '/pets')}
        {select('key', 'Key', [{ value: '', label: 'All' }, ...keys.map(optionOf)])}
        <Moment label="From" value={value('from')} onChange={(at) => onChange('from', at, true)} />
        <Moment label="To" value={value('to')} onChange={(at) => onChange('to', at, true)} />
      </SimpleGrid>
    </section>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

/** Adds a value from the page's address that is not one of the options. */
function withValue(options: readonly Option[], value: string): Option[] {
  const isKnown = options.some((each) => each.value === value);
  return isKnown ? [...options] : [...options, { value, label: value }];
}

function optionOf({ id, name, lastFour }: KeyInfo): Option {
  return { value: id, label: keyText({ name, lastFour }) };
}

interface MomentProps {
  readonly label: string;
  /** ISO 8601; empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A time in the reader's time zone. */
function Moment({ label, value, onChange }: MomentProps) {
  return (
    <TextInput
      className="request-moment"
      label={`${label} (your time)`}
      type="datetime-local"
      max={LAST_OF_TIME_FIELDS}
      value={localText(value)}
      onChange={({ currentTarget }) => {
        const moment = new Date(currentTarget.value);
        onChange(Number.isNaN(moment.getTime()) ? '' : moment.toISOString());
      }}
    />
  );
}
