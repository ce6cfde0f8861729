import { Badge, Table, Text, UnstyledButton } from '@mantine/core';
import type { RequestInfo } from '../../shared/requests.ts';
import { countText } from '../common/format.ts';
import { useRowsInSteps } from '../common/in-steps.ts';
import { StackedHead } from '../common/stacked-head.tsx';
import { PreciseTime } from './precise-time.tsx';

const COLUMNS = ['Time', 'Reply', 'Request', 'Took', 'Key'] as const;

interface RequestTableProps {
  readonly requests: readonly RequestInfo[];
  readonly onOpen: (request: RequestInfo) => void;
}

export function RequestTable({ requests, onOpen }: RequestTableProps) {
  return (
    <Table
      className="stacked requests"
      role="table"
      verticalSpacing={6}
      highlightOnHover
      aria-label="Requests"
    >
      <StackedHead columns={COLUMNS} />
      <Table.Tbody role="rowgroup">
        {useRowsInSteps(requests).map((request) => (
          <Row key={request.id} value={request} onOpen={() => onOpen(request)} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ value, onOpen }: { readonly value: RequestInfo; readonly onOpen: () => void }) {
  const { at, method, path, durationMs, keyName, keyEnding, environment, notRecorded } = value;
  return (
    <Table.Tr role="row" className="request-row" onClick={onOpen}>
      <Table.Td role="cell" data-label="Time">
        <PreciseTime at={at} />
      </Table.Td>
      <Table.Td role="cell" data-label="Reply">
        <Outcome value={value} />
      </Table.Td>
      <Table.Td role="cell" data-label="Request" className="request-target">
        <div>
          {/* The row handles its clicks. */}
          <UnstyledButton className="request-open monospace">
            {method} {path}
          </UnstyledButton>
          {notRecorded > 0 && (
            <Text size="xs" c="dimmed">
              {`and ${countText(notRecorded)} more before it or around this time, not recorded`}
            </Text>
          )}
        </div>
      </Table.Td>
      <Table.Td role="cell" data-label="Took" className="nowrap">
        {millisecondsText(durationMs)}
      </Table.Td>
      <Table.Td role="cell" data-label="Key">
        <div>
          <Text inherit className="address">
            {keyName ?? 'removed key'}{' '}
            {keyEnding !== null && <span className="nowrap">{`(…${keyEnding})`}</span>}
          </Text>
          <Text size="xs" c="dimmed">
            {environment}
          </Text>
        </div>
      </Table.Td>
    </Table.Tr>
  );
}

/** Status and error code of a reply, and whether it was simulated or replayed. */
export function Outcome({ value }: { readonly value: RequestInfo }) {
  const { status, code, simulation, replayed } = value;
  return (
    <div>
      <Badge className="badge" color={colorOf(status)} variant="light">
        {status}
      </Badge>
      {code !== null && (
        <Text size="xs" ff="monospace" className="address">
          {code}
        </Text>
      )}
      {simulation !== null && (
        <Text size="xs" c="dimmed">
          simulated
        </Text>
      )}
      {replayed && (
        <Text size="xs" c="dimmed">
          replayed
        </Text>
      )}
    </div>
  );
}

function colorOf(status: number): string {
  if (status < 400) return 'accent';
  if (status === 429) return 'grape';
  return status < 500 ? 'yellow' : 'red';
}

/** A duration as text. */
export function millisecondsText(milliseconds: number): string {
  if (milliseconds < 0.1) return '< 0.1 ms';
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}
