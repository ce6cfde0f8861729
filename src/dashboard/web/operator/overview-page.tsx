import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { requestsOf } from '../../../core/requests/usage.ts';
import type { OverviewInfo } from '../../shared/operator.ts';
import { call } from '../api.ts';
import { countText } from '../common/format.ts';
import { StackedHead } from '../common/stacked-head.tsx';
import { Empty, Pending } from '../common/states.tsx';
import { durationText, Time } from '../common/time.tsx';
import { tookText } from '../usage/outcomes.ts';
import { Figure } from './figure.tsx';
import { OperatorPage } from './operator-page.tsx';
import './operator.css';

const COLUMNS = ['Operation', 'p95', 'Requests', 'Errors'] as const;

/** Interval of reloading the figures, in ms. */
const REFRESH = 15_000;

/** Requests, bans, slow operations and the health of the service. */
export default function OverviewPage() {
  return (
    <OperatorPage
      title="Overview"
      description="All accounts together in the last 24 hours, and the health of the service."
    >
      <Overview />
    </OperatorPage>
  );
}

function Overview() {
  const overview = useQuery({
    queryKey: ['operator', 'overview'],
    queryFn: () => call<OverviewInfo>('GET', '/operator/overview'),
    refetchInterval: REFRESH,
  });
  if (!overview.data) return <Pending query={overview} label="Loading the overview" height={480} />;
  return (
    <Stack gap="xl">
      <Figures overview={overview.data} />
      <Health overview={overview.data} />
      <Operations overview={overview.data} />
    </Stack>
  );
}

interface PartProps {
  readonly overview: OverviewInfo;
}

function Figures({ overview: { requests, bansInForce, lastBackup, now } }: PartProps) {
  const { clientErrors, limited, serverErrors } = requests;
  return (
    <div className="operator-figures">
      <Figure title="Requests" value={countText(requestsOf(requests))}>
        with a valid key
      </Figure>
      <Figure title="Client errors" value={countText(clientErrors)}>
        and {countText(limited)} refused with 429
      </Figure>
      <Figure title="Server errors" value={countText(serverErrors)}>
        5xx
      </Figure>
      <Figure title="Bans in force" value={countText(bansInForce)}>
        keys that kept sending after a 429
      </Figure>
      <Figure
        title="Last backup"
        value={lastBackup ? `${durationText(Math.max(0, now - lastBackup.at))} ago` : 'None'}
      >
        {lastBackup ? <Time at={lastBackup.at} /> : 'Make one with the command backup'}
      </Figure>
    </div>
  );
}

function Health({ overview: { checks } }: PartProps) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Health
      </Title>
      <Paper component="ul" withBorder className="entries" aria-label="Checks">
        {checks.map(({ name, problem }) => (
          <li key={name} className="entry operator-row">
            <Text fw={600}>{name.replaceAll('_', ' ')}</Text>
            <Text
              size="sm"
              className="entry-title"
              {...(problem !== null && { c: 'var(--mantine-color-error)' })}
            >
              {problem ?? 'OK'}
            </Text>
          </li>
        ))}
      </Paper>
    </Stack>
  );
}

function Operations({ overview: { operations } }: PartProps) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Slowest operations
      </Title>
      {operations.length === 0 ? (
        <Empty title="No requests yet">Operations appear here once a key was used.</Empty>
      ) : (
        <Table className="stacked" role="table" aria-label="Slowest operations">
          <StackedHead columns={COLUMNS} />
          <Table.Tbody role="rowgroup">
            {operations.map((each) => (
              <OperationRow key={each.operation} value={each} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}

function OperationRow({ value }: { readonly value: OverviewInfo['operations'][number] }) {
  const { operation, p95, requests, errors } = value;
  const cells = [
    operation === 'none' ? 'no operation' : operation,
    tookText(p95),
    countText(requests),
    countText(errors),
  ];
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
