import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box, Text } from '@mantine/core';
import { requestsOf, type UsageCounts } from '../../../core/requests/usage.ts';
import type { UsageBucket } from '../../shared/usage.ts';
import { countText } from '../common/format.ts';
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
  const isEmpty = requestsOf(total) === 0;
  return (
    <Box pos="relative" h={height}>
      <Box role="img" aria-label={NAMES[span]} h="100%">
        <BarChart
          h="100%"
          type="stacked"
          data={[...buckets]}
          // Not the text of the bucket: the same hour occurs every day, and twice when summer time
          // ends.
          dataKey="from"
          series={shownOutcomes(total).map((outcome) => ({
            name: outcome,
            label: OUTCOME_STYLES[outcome].title,
            color: OUTCOME_STYLES[outcome].color,
          }))}
          valueFormatter={countText}
          withTooltip={!isEmpty}
          // Also called without a bucket while the pointer is not on one.
          tooltipProps={{
            labelFormatter: (from) => (typeof from === 'number' ? bucketTitle(span, from) : ''),
          }}
          textColor="var(--mantine-color-dimmed)"
          // The chart has one accessible name; the table has its numbers.
          accessibilityLayer={false}
          // A line in the page's colour separates stacked parts without relying on their colours.
          barProps={{ stroke: 'var(--mantine-color-body)', strokeOpacity: 1, strokeWidth: 1 }}
          maxBarWidth={28}
          xAxisProps={{ minTickGap: 12, tickFormatter: (from) => bucketText(span, Number(from)) }}
          yAxisProps={{ allowDecimals: false, width: 52, ...(isEmpty && { domain: [0, 4] }) }}
        />
      </Box>
      {isEmpty && (
        <Text className="chart-empty" c="dimmed" size="sm">
          {isInUse ? 'Your requests are being counted.' : 'No requests in this time yet.'}
        </Text>
      )}
    </Box>
  );
}
