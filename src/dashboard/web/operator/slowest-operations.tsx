import { Anchor, Table } from '@mantine/core';
import type { OverviewInfo } from '../../shared/operator.ts';
import { countText } from '../common/format.ts';
import { StackedHead } from '../common/stacked-head.tsx';
import { Empty } from '../common/states.tsx';
import { basePath } from '../page-settings.ts';
import { tookText } from '../usage/outcomes.ts';
import { Section } from './account-section.tsx';

const COLUMNS = ['Operation', 'p95', 'Requests', 'Errors'] as const;

/** The operations by duration; those with few requests last. */
export function SlowestOperations({ overview }: { readonly overview: OverviewInfo }) {
  const { operations } = overview;
  return (
    <Section title="Slowest operations">
      {operations.length === 0 ? (
        <Empty title="No requests yet">Operations appear here once a key was used.</Empty>
      ) : (
        <Table className="stacked" role="table" aria-label="Slowest operations">
          <StackedHead columns={COLUMNS} />
          <Table.Tbody role="rowgroup">
            {operations.map((each) => (
              <Row key={each.operation} value={each} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

function Row({ value }: { readonly value: OverviewInfo['operations'][number] }) {
  const { operation, p95, requests, errors } = value;
  const name =
    operation === 'none' ? (
      'no operation'
    ) : (
      <Anchor href={`${basePath}/docs/operations/${operation}`} inherit underline="always">
        {operation}
      </Anchor>
    );
  const cells = [name, tookText(p95), countText(requests), countText(errors)];
  return (
    <Table.Tr role="row">
      {COLUMNS.map((column, index) => (
        <Table.Td key={column} role="cell" data-label={column}>
          {cells[index]}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
