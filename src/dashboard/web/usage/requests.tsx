import {
  Button,
  Collapse,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useId, useState } from 'react';
import type { UsageCounts } from '../../../core/usage.ts';
import type { UsageBucket } from '../../shared/api.ts';
import {
  countText,
  OUTCOME_STYLES,
  requestsOf,
  type Span,
  shownOutcomes,
  totalOf,
} from './outcomes.ts';
import { RequestsChart } from './requests-chart.tsx';
import { RequestsTable } from './requests-table.tsx';

interface RequestsProps {
  readonly hours: readonly UsageBucket[];
  readonly days: readonly UsageBucket[];
  /** Whether a window has requests, which the chart may not include yet. */
  readonly isInUse: boolean;
}

const SPANS = [
  { value: 'hours', label: '24 hours' },
  { value: 'days', label: '30 days' },
] as const satisfies { value: Span; label: string }[];

const NOTES: Readonly<Record<Span, string>> = {
  hours: 'By the hour, in your time zone. Both environments together.',
  days: 'By UTC day, as the daily limit counts them. Both environments together.',
};

/** The outcomes of the requests of the last 24 hours or 30 days. */
export function Requests({ hours, days, isInUse }: RequestsProps) {
  const [span, setSpan] = useState<Span>('hours');
  const [isTableOpen, setTableOpen] = useState(false);
  const tableId = useId();
  const buckets = span === 'hours' ? hours : days;
  const total = totalOf(buckets);
  return (
    <Paper component="section" withBorder p="lg" aria-label="Requests">
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} className="requests-heading">
            <Title order={2} size="h4">
              Requests
            </Title>
            <Text size="sm" c="dimmed">
              {NOTES[span]} Counted within 10 seconds.
            </Text>
          </Stack>
          <SegmentedControl
            aria-label="Time span"
            data={[...SPANS]}
            value={span}
            onChange={setSpan}
          />
        </Group>
        <Legend total={total} />
        <RequestsChart span={span} buckets={buckets} total={total} isInUse={isInUse} />
        <Button
          variant="default"
          size="xs"
          className="requests-toggle"
          aria-expanded={isTableOpen}
          aria-controls={tableId}
          onClick={() => setTableOpen(!isTableOpen)}
        >
          {isTableOpen ? 'Hide the table' : 'Show as a table'}
        </Button>
        <Collapse id={tableId} expanded={isTableOpen}>
          <RequestsTable span={span} buckets={buckets} total={total} />
        </Collapse>
      </Stack>
    </Paper>
  );
}

function Legend({ total }: { readonly total: UsageCounts }) {
  return (
    <ul className="legend" aria-label="Totals">
      <li>
        <span>Requests</span>
        <strong className="figures">{countText(requestsOf(total))}</strong>
      </li>
      {shownOutcomes(total).map((outcome) => (
        <li key={outcome}>
          <span>
            <i style={{ background: OUTCOME_STYLES[outcome].color }} aria-hidden="true" />
            {OUTCOME_STYLES[outcome].title}
          </span>
          <strong className="figures">{countText(total[outcome])}</strong>
        </li>
      ))}
    </ul>
  );
}
