import { Table } from '@mantine/core';
import type { UsageCounts } from '../../../core/requests/usage.ts';
import type { UsageBucket } from '../../shared/usage.ts';
import { countText } from '../common/format.ts';
import { Time } from '../common/time.tsx';
import { bucketText, OUTCOME_STYLES, type Span, shownOutcomes } from './outcomes.ts';

interface RequestsTableProps {
  readonly span: Span;
  readonly buckets: readonly UsageBucket[];
  readonly total: UsageCounts;
}

/** The numbers of the chart, the newest first. */
export function RequestsTable({ span, buckets, total }: RequestsTableProps) {
  const outcomes = shownOutcomes(total);
  const name = span === 'hours' ? 'Requests by hour' : 'Requests by UTC day';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must scroll by keyboard, too.
    <section className="table-region" aria-label={name} tabIndex={0}>
      <Table stickyHeader striped miw={460} className="figures">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{span === 'hours' ? 'Hour from' : 'UTC day'}</Table.Th>
            {outcomes.map((outcome) => (
              <Table.Th key={outcome} scope="col" ta="right">
                {OUTCOME_STYLES[outcome].title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets.toReversed().map((bucket) => (
            <Table.Tr key={bucket.from}>
              <Table.Th scope="row" fw={400}>
                {span === 'hours' ? <Time at={bucket.from} /> : bucketText(span, bucket.from)}
              </Table.Th>
              {outcomes.map((outcome) => (
                <Table.Td key={outcome} ta="right">
                  {countText(bucket[outcome])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
