import { Box, Text } from '@mantine/core';
import { requestsOf, type UsageCounts } from '../../../core/requests/usage.ts';
import type { UsageBucket } from '../../shared/usage.ts';
import { BarChart } from './bar-chart.tsx';
import { bucketText, bucketTitle, OUTCOME_STYLES, type Span, shownOutcomes } from './outcomes.ts';

interface RequestsChartProps {
  readonly span: Span;
  readonly buckets: readonly UsageBucket[];
  readonly total: UsageCounts;
  /** Whether there were recent requests, which the chart may not include yet. */
  readonly isInUse: boolean;
  /** In pixels. */
  readonly height?: number;
}

const NAMES: Readonly<Record<Span, string>> = {
  hours: 'Bar chart of requests by hour',
  days: 'Bar chart of requests by UTC day',
};

/** Stacked bars. The table has the same numbers in accessible form. */
export function RequestsChart(props: RequestsChartProps) {
  const { span, buckets, total, isInUse, height = 260 } = props;
  const outcomes = shownOutcomes(total);
  return (
    <Box pos="relative" h={height}>
      <BarChart
        name={NAMES[span]}
        series={outcomes.map((outcome) => {
          const { title, color } = OUTCOME_STYLES[outcome];
          return { name: title, color };
        })}
        bars={buckets.map((bucket) => ({
          label: bucketText(span, bucket.from),
          title: bucketTitle(span, bucket.from),
          values: outcomes.map((outcome) => bucket[outcome]),
        }))}
      />
      {requestsOf(total) === 0 && (
        <Text className="chart-empty" c="dimmed" size="sm">
          {isInUse ? 'Your requests are being counted.' : 'No requests in this time yet.'}
        </Text>
      )}
    </Box>
  );
}
