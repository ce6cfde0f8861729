import { Anchor, Group, NativeSelect, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ENVIRONMENTS } from '../../../core/environments.ts';
import type { UsageReport, UsedKey } from '../../shared/usage.ts';
import { keyText, LAST_OF_TIME_FIELDS } from '../common/format.ts';
import { HOUR, Time } from '../common/time.tsx';
import { PRESETS, type Preset, type Selection } from './selection.ts';

interface FiltersProps {
  readonly selection: Selection;
  /** `undefined` while it is loaded for the first time. */
  readonly report: UsageReport | undefined;
  /** The address of the same requests as CSV. */
  readonly csv: string;
}

/** Chooses the requests that are shown. */
export function Filters({ selection, report, csv }: FiltersProps) {
  const choose = (preset: Preset) => selection.set(periodOf(preset, report));
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Environment"
          value={selection.get('environment')}
          onChange={(event) => selection.set({ environment: event.currentTarget.value, key: '' })}
          data={[{ value: '', label: 'Both' }, ...ENVIRONMENTS]}
        />
        <NativeSelect
          label="Key"
          value={selection.get('key')}
          onChange={(event) => selection.set({ key: event.currentTarget.value })}
          data={[{ value: '', label: 'All keys' }, ...keyChoices(selection, report)]}
        />
        <NativeSelect
          label="Operation"
          value={selection.get('operation')}
          onChange={(event) => selection.set({ operation: event.currentTarget.value })}
          data={[{ value: '', label: 'All operations' }, ...operationChoices(selection, report)]}
        />
        <Anchor href={csv} download underline="always" size="sm" className="csv">
          Download CSV
        </Anchor>
      </Group>
      <div className="period">
        <SegmentedControl
          aria-label="Time span"
          data={[...PRESETS]}
          value={selection.preset}
          onChange={choose}
        />
      </div>
      {selection.preset === 'custom' && (
        <Group gap="sm" align="flex-start">
          <Moment label="From (UTC)" name="from" selection={selection} />
          <Moment label="To (UTC)" name="to" selection={selection} />
        </Group>
      )}
    </Stack>
  );
}

interface MomentProps {
  readonly label: string;
  readonly name: 'from' | 'to';
  readonly selection: Selection;
}

/** A time in UTC, with the reader's local time below it. */
function Moment({ label, name, selection }: MomentProps) {
  const time = Date.parse(selection.get(name));
  const field = useRef<HTMLInputElement>(null);
  // Not a controlled field, which would take back what is typed only in part. But Back may bring another time.
  useEffect(() => {
    const { current } = field;
    if (current && !Number.isNaN(time) && Date.parse(`${current.value}Z`) !== time) {
      current.value = inputText(time);
    }
  }, [time]);
  return (
    <TextInput
      ref={field}
      type="datetime-local"
      max={LAST_OF_TIME_FIELDS}
      label={label}
      step={3_600}
      defaultValue={Number.isNaN(time) ? '' : inputText(time)}
      onChange={(event) => {
        const chosen = Date.parse(`${event.currentTarget.value}Z`);
        if (!Number.isNaN(chosen)) selection.set({ [name]: isoText(chosen) }, name);
      }}
      inputWrapperOrder={['label', 'input', 'description']}
      description={Number.isNaN(time) ? ' ' : <Time at={time} />}
    />
  );
}

/** The period of a preset; "From–to" starts with the current period. */
function periodOf(preset: Preset, report: UsageReport | undefined) {
  if (preset !== 'custom') return { last: preset, from: '', to: '' };
  const to = report?.to ?? Math.ceil(Date.now() / HOUR) * HOUR;
  return { last: '', from: isoText(report?.from ?? to - 24 * HOUR), to: isoText(to) };
}

function isoText(time: number): string {
  return new Date(time).toISOString();
}

/** In the format of a `datetime-local` input. */
function inputText(time: number): string {
  return isoText(time).slice(0, 16);
}

/** The keys of the environment; the chosen key stays even if it has no requests in the period. */
function keyChoices(selection: Selection, report: UsageReport | undefined) {
  const environment = selection.get('environment');
  const keys = (report?.choices.keys ?? []).filter(
    (key) => environment === '' || key.environment === environment,
  );
  const choices = keys.map((key) => ({ value: key.id, label: usedKeyText(key) }));
  const chosen = selection.get('key');
  if (chosen === '' || choices.some(({ value }) => value === chosen)) return choices;
  return [...choices, { value: chosen, label: chosen }];
}

function operationChoices(selection: Selection, report: UsageReport | undefined) {
  const operations = new Set(report?.choices.operations);
  if (selection.get('operation') !== '') operations.add(selection.get('operation'));
  return [...operations].map((value) => ({ value, label: operationText(value) }));
}

/** The display name of a key. */
export function usedKeyText({ id, environment, name, lastFour }: UsedKey): string {
  if (id === '') return `Counted before keys were, ${environment}`;
  return name === null || lastFour === null
    ? `${id}, ${environment}`
    : `${keyText({ name, lastFour })}, ${environment}`;
}

/** The display name of an operation. */
export function operationText(operation: string): string {
  if (operation === '') return 'Counted before operations were';
  return operation === 'none' ? 'No operation' : operation;
}
