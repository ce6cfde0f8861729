import { Anchor, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { AUDIT_ACTIONS } from '../../../core/accounts/audit.ts';
import { AUDIT_PAGE_LENGTH, MAX_AUDIT_LINES } from '../../shared/bounds.ts';
import type { AuditInfo } from '../../shared/operator.ts';
import { call } from '../api.ts';
import { type Address, useAddress } from '../common/address.ts';
import { ACTION_TITLES } from '../common/audit-titles.ts';
import { countText, LAST_OF_TIME_FIELDS } from '../common/format.ts';
import { useOlderPages } from '../common/older-pages.ts';
import { SearchField } from '../common/search-field.tsx';
import { Empty, Failure, Loading } from '../common/states.tsx';
import { DAY } from '../common/time.tsx';
import { TYPING_PAUSE } from '../common/typing-pause.ts';
import { basePath } from '../page-settings.ts';
import { AuditEntries } from './audit-entries.tsx';
import { OperatorPage } from './operator-page.tsx';
import './operator.css';

const ACTIONS = AUDIT_ACTIONS.map((value) => ({ value, label: ACTION_TITLES[value] }));

/** The filter; an empty text matches all. */
interface Filter {
  readonly actor: string;
  readonly account: string;
  readonly action: string;
  /** Days, in the format of date fields. */
  readonly from: string;
  readonly to: string;
}

/** The audit log: changes in the dashboard and on the command line, with their authors. */
export default function AuditPage() {
  return (
    <OperatorPage
      title="Audit log"
      description="Who changed what, in the dashboard and on the command line; the newest first."
    >
      <AuditLog />
    </OperatorPage>
  );
}

function AuditLog() {
  const { parameters, change } = useAddress();
  const filter = filterIn(parameters);
  const [query] = useDebouncedValue(queryOf(filter), TYPING_PAUSE);
  const queryKey = ['operator', 'audit', query];
  const log = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      call<{ entries: AuditInfo[] }>(
        'GET',
        `/operator/audit?${query}${pageParam === undefined ? '' : `&before=${pageParam}`}`,
      ),
    initialPageParam: olderThan([]),
    getNextPageParam: ({ entries }) => olderThan(entries),
    placeholderData: keepPreviousData,
  });
  const { pages, hasOlder, isLoading, showOlder } = useOlderPages(queryKey, log);
  const entries = log.data && pages.flatMap((page) => page.entries);
  return (
    <Stack gap="md" align="stretch">
      <Filters filter={filter} change={change} />
      <Anchor href={`${basePath}/api/operator/audit?${query}&format=csv`} download size="sm">
        {`Download these entries (CSV, the latest ${countText(MAX_AUDIT_LINES)} at most)`}
      </Anchor>
      {log.error && <Failure error={log.error} retry={log.refetch} />}
      {!entries && !log.error && <Loading label="Loading the audit log" height={640} />}
      {entries?.length === 0 && (
        <Empty title="No such entries">Changes appear here. Another filter may show some.</Empty>
      )}
      {entries && entries.length > 0 && <AuditEntries entries={entries} />}
      {hasOlder && (
        <Button variant="default" className="audit-older" loading={isLoading} onClick={showOlder}>
          Show older entries
        </Button>
      )}
    </Stack>
  );
}

interface FiltersProps {
  readonly filter: Filter;
  readonly change: Address['change'];
}

function Filters({ filter, change }: FiltersProps) {
  const field = (name: 'account' | 'actor') => ({
    type: 'text',
    className: 'audit-filter',
    value: filter[name],
    onSearch: (text: string) => change({ [name]: text }, name),
  });
  const day = (name: 'from' | 'to') => ({
    type: 'date',
    max: LAST_OF_TIME_FIELDS.slice(0, 10),
    value: filter[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      change({ [name]: event.currentTarget.value }, name),
  });
  return (
    <Group gap="md" align="flex-end">
      <SearchField {...field('account')} label="Account" placeholder="Address or id" />
      <SearchField {...field('actor')} label="Actor" placeholder="Any part of the name" />
      <Select
        className="audit-filter"
        label="Action"
        placeholder="Any"
        data={ACTIONS}
        value={filter.action || null}
        onChange={(action) => change({ action: action ?? '' })}
        clearable
        searchable
      />
      <TextInput {...day('from')} label="From (UTC)" />
      <TextInput {...day('to')} label="To (UTC)" />
    </Group>
  );
}

/** The filter that the address asks for. */
function filterIn(parameters: URLSearchParams): Filter {
  const text = (name: keyof Filter) => parameters.get(name) ?? '';
  const day = (name: 'from' | 'to') => (isDay(text(name)) ? text(name) : '');
  const action = ACTIONS.find(({ value }) => value === text('action'))?.value ?? '';
  return {
    account: text('account'),
    actor: text('actor'),
    action,
    from: day('from'),
    to: day('to'),
  };
}

/** Whether a text is a day in the format of date fields. */
function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

function queryOf({ to, ...filter }: Filter): string {
  // The last day is included.
  const end = to === '' ? '' : new Date(Date.parse(to) + DAY).toISOString();
  const given = Object.entries({ ...filter, to: end }).filter(([, value]) => value.trim() !== '');
  return new URLSearchParams(given).toString();
}

/** The cursor of the page after these entries; `undefined` after the last page. */
function olderThan(entries: readonly AuditInfo[]): number | undefined {
  return entries.length < AUDIT_PAGE_LENGTH ? undefined : entries.at(-1)?.number;
}
