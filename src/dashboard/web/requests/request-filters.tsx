import { Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { KeyInfo } from '../../shared/api.ts';
import { requestIdIn } from '../../shared/request-id.ts';
import { LAST_OF_TIME_FIELDS } from '../common/format.ts';
import { useAllKeys } from '../keys/key-calls.ts';
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
  { value: '429', label: '429 refused or banned' },
  { value: '5xx', label: '5xx errors of the service' },
];

interface FiltersProps {
  readonly filters: URLSearchParams;
  readonly onChange: (name: FilterName, value: string) => void;
  readonly onClear: () => void;
  /** The keys to choose from, if they belong to another account. */
  readonly otherKeys: readonly KeyInfo[] | undefined;
}

/** The filters, all of which are part of the page's address. */
export function RequestFilters({ filters, onChange, onClear, otherKeys }: FiltersProps) {
  const value = (name: FilterName) => filters.get(name) ?? '';
  // New search fields, so that text typed just before is not searched for after all.
  const [clears, setClears] = useState(0);
  const select = (name: FilterName, label: string, options: readonly Option[]) => (
    <NativeSelect
      label={label}
      data={withValue(options, value(name))}
      value={value(name)}
      onChange={({ currentTarget }) => onChange(name, currentTarget.value)}
    />
  );
  const text = (name: FilterName, label: string, placeholder: string) => (
    <SearchText
      key={`${name} ${clears}`}
      label={label}
      placeholder={placeholder}
      value={value(name)}
      onChange={(entered) => onChange(name, entered)}
    />
  );
  return (
    <section aria-label="Filters">
      <Group align="flex-end" gap="md" mb="md">
        <SearchText
          key={`id ${clears}`}
          className="request-search"
          label="X-Request-Id"
          placeholder="The id of a reply, an error or your log"
          value={value('id')}
          isSearch
          onChange={(entered) => onChange('id', requestIdIn(entered))}
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
        <KeySelect value={value('key')} onChange={onChange} otherKeys={otherKeys} />
        <Moment label="From" value={value('from')} onChange={(at) => onChange('from', at)} />
        <Moment label="To" value={value('to')} onChange={(at) => onChange('to', at)} />
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

interface KeySelectProps extends Pick<FiltersProps, 'onChange' | 'otherKeys'> {
  readonly value: string;
}

function KeySelect({ value, onChange, otherKeys }: KeySelectProps) {
  const own = useAllKeys().data ?? [];
  const options = (otherKeys ?? own).map(({ id, name, lastFour }) => ({
    value: id,
    label: `${name} (…${lastFour})`,
  }));
  return (
    <NativeSelect
      label="Key"
      data={withValue([{ value: '', label: 'All' }, ...options], value)}
      value={value}
      onChange={({ currentTarget }) => onChange('key', currentTarget.value)}
    />
  );
}

interface SearchTextProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isSearch?: boolean;
  readonly className?: string;
}

/** A search field that searches while the user types. */
function SearchText({ value, onChange, isSearch = false, ...props }: SearchTextProps) {
  const [entered, enter] = useState(value);
  const search = useDebouncedCallback(onChange, TYPING);
  useEffect(() => enter(value), [value]);
  return (
    <TextInput
      {...props}
      type={isSearch ? 'search' : 'text'}
      autoComplete="off"
      spellCheck={false}
      leftSection={isSearch ? <IconSearch size={16} aria-hidden /> : undefined}
      value={entered}
      onChange={({ currentTarget }) => {
        enter(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
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
