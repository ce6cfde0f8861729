import { Table } from '@mantine/core';
import { requestsOf } from '../../../core/requests/usage.ts';
import type { UsageFiguresInfo } from '../../shared/usage.ts';
import { countText } from '../common/format.ts';
import { errorShareText, tookText } from './outcomes.ts';

interface FiguresTableProps {
  /** The heading of the first column, such as "Key". */
  readonly title: string;
  readonly rows: ReadonlyArray<{ readonly name: string; readonly figures: UsageFiguresInfo }>;
}

/** Requests, share of errors and durations by key or by operation. */
export function FiguresTable({ title, rows }: FiguresTableProps) {
  const label = `Requests by ${title.toLowerCase()}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must scroll by keyboard, too.
    <section className="table-region" aria-label={label} tabIndex={0}>
      <Table stickyHeader miw={460} className="figures">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{title}</Table.Th>
            {['Requests', 'Errors', 'p50', 'p95', 'p99'].map((name) => (
              <Table.Th key={name} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, figures }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} className="figures-name">
                {name}
              </Table.Th>
              <Table.Td ta="right">{countText(requestsOf(figures))}</Table.Td>
              <Table.Td ta="right">{errorShareText(figures)}</Table.Td>
              <Table.Td ta="right">{tookText(figures.p50)}</Table.Td>
              <Table.Td ta="right">{tookText(figures.p95)}</Table.Td>
              <Table.Td ta="right">{tookText(figures.p99)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
