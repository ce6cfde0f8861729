import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { requestsOf } from '../../../core/requests/usage.ts';
import { LEAST_FOR_PERCENTILES } from '../../../core/requests/usage-durations.ts';
import type { UsageFiguresInfo, UsageReport } from '../../shared/usage.ts';
import { call } from '../api.ts';
import { useDialog } from '../common/dialog.ts';
import { countText } from '../common/format.ts';
import { Pending } from '../common/states.tsx';
import { Time } from '../common/time.tsx';
import { basePath } from '../page-settings.ts';
import { usageQuery } from './account-queries.ts';
import { Errors } from './errors.tsx';
import { FiguresTable } from './figures-table.tsx';
import { Filters, operationText, usedKeyText } from './filters.tsx';
import { errorShareText, OUTCOME_STYLES, type Span, shownOutcomes, tookText } from './outcomes.ts';
import { RequestsChart } from './requests-chart.tsx';
import { RequestsTable } from './requests-table.tsx';
import { type Selection, useSelection } from './selection.ts';

const NOTES: Readonly<Record<Span, string>> = {
  hours: 'By the hour, in your time zone.',
  days: 'By UTC day, as the daily limit counts them.',
};

interface RequestsProps {
  /** The account, for operators; by default the user's own. */
  readonly accountId: string | undefined;
  /** Whether a window has requests. The figures may not include them yet. */
  readonly isInUse: boolean;
}

/** The requests of a period: outcomes, errors and durations, by key and operation. */
export function Requests({ accountId, isInUse }: RequestsProps) {
  const selection = useSelection();
  const report = useReport(accountId, selection);
  const csv = usageQuery(accountId, `/usage/requests?format=csv&${selection.query}`).path;
  return (
    <Paper component="section" withBorder p="lg" aria-label="Requests">
      <Stack gap="md">
        <Title order={2} size="h4">
          Requests
        </Title>
        <Filters selection={selection} report={report.data} csv={`${basePath}/api${csv}`} />
        {report.data ? (
          <Report
            report={report.data}
            selection={selection}
            accountId={accountId}
            isInUse={isInUse}
          />
        ) : (
          <Pending query={report} label="Loading requests" height={560} />
        )}
      </Stack>
    </Paper>
  );
}

/** The requests that are selected. */
export function useReport(accountId: string | undefined, { query }: Selection) {
  const { path, ...options } = usageQuery(accountId, `/usage/requests?${query}`, 'reports');
  return useQuery({
    ...options,
    queryFn: () => call<UsageReport>('GET', path),
    placeholderData: keepPreviousData,
  });
}

interface ReportProps extends RequestsProps {
  readonly report: UsageReport;
  readonly selection: Selection;
}

function Report({ report, selection, accountId, isInUse }: ReportProps) {
  const table = useDialog('table');
  const tableId = useId();
  const { from, to, buckets, total } = report;
  const span = report.bucketHours === 1 ? 'hours' : 'days';
  return (
    <>
      <Text size="sm" c="dimmed" className="requests-note">
        <Time at={from} /> to <Time at={to} />. {NOTES[span]} Counted within 10 seconds.
      </Text>
      <Totals total={total} />
      <RequestsChart span={span} buckets={buckets} total={total} isInUse={isInUse} />
      <Button
        variant="default"
        size="xs"
        className="requests-toggle"
        aria-expanded={table.isOpen}
        aria-controls={tableId}
        onClick={() => (table.isOpen ? table.close() : table.open('shown'))}
      >
        {table.isOpen ? 'Hide the table' : 'Show as a table'}
      </Button>
      <div id={tableId} hidden={!table.isOpen}>
        {table.isOpen && <RequestsTable span={span} buckets={buckets} total={total} />}
      </div>
      <Stack gap="md" className="details">
        {requestsOf(total) === 0 ? (
          <Text size="sm" c="dimmed">
            Kinds of errors, operations and keys are listed here as soon as there are requests.
          </Text>
        ) : (
          <Details report={report} selection={selection} accountId={accountId} />
        )}
      </Stack>
    </>
  );
}

function Details({ report, selection, accountId }: Omit<ReportProps, 'isInUse'>) {
  const operations = report.operations.map((figures) => {
    return { name: operationText(figures.operation), figures };
  });
  const keys = report.keys.map((figures) => ({ name: usedKeyText(figures.key), figures }));
  return (
    <>
      <Errors report={report} selection={selection} accountId={accountId} />
      <FiguresTable title="Operation" rows={operations} />
      <FiguresTable title="Key" rows={keys} />
    </>
  );
}

function Totals({ total }: { readonly total: UsageFiguresInfo }) {
  const measured = [
    ['Errors', errorShareText(total)],
    ['p50', tookText(total.p50)],
    ['p95', tookText(total.p95)],
    ['p99', tookText(total.p99)],
  ] as const;
  return (
    <>
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
      <ul className="legend" aria-label="Share of errors, and durations of replies">
        {measured.map(([name, text]) => (
          <li key={name}>
            <span>{name}</span>
            <strong className="figures">{text}</strong>
          </li>
        ))}
      </ul>
      {requestsOf(total) > 0 && total.p50 === null && (
        <Text size="sm" c="dimmed">
          p50, p95 and p99 are shown from {LEAST_FOR_PERCENTILES} requests on.
        </Text>
      )}
    </>
  );
}
