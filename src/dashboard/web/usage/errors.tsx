import { Text, Title } from '@mantine/core';
import type { UsageFiguresInfo, UsageReport } from '../../shared/usage.ts';
import { countText } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { requestsAddress, type Selection } from './selection.ts';

interface Kind {
  readonly title: string;
  readonly count: number;
  /** The filter of its requests; with `4xx` they are among others. */
  readonly status: '4xx' | '409' | '429' | '5xx';
}

interface ErrorsProps {
  readonly report: UsageReport;
  readonly selection: Selection;
  /** The account, for operators; by default the user's own. */
  readonly accountId: string | undefined;
}

/** The errors by kind, each with a link to its requests, or to all requests with a status. */
export function Errors({ report, selection, accountId }: ErrorsProps) {
  const kinds = kindsOf(report.total).filter(({ count }) => count > 0);
  const { from, to } = report;
  // The request log has no filter for operations.
  const isOneOperation = selection.get('operation') !== '';
  const filters = {
    account: accountId,
    environment: selection.get('environment'),
    key: selection.get('key'),
  };
  return (
    <section aria-label="Errors by kind">
      <Title order={3} size="h5" mb={4}>
        Errors
      </Title>
      {kinds.length === 0 && <Text size="sm">None in this period.</Text>}
      <ul className="error-kinds">
        {kinds.map(({ title, count, status }) => (
          <li key={title}>
            <Text size="sm">{title}</Text>
            <Text size="sm" fw={600} className="figures">
              {countText(count)}
            </Text>
            <PageLink
              href={requestsAddress({ ...filters, status, from, to })}
              size="sm"
              aria-label={`${linkText(status, isOneOperation)}: ${title}`}
            >
              {linkText(status, isOneOperation)}
            </PageLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The text of a link to requests with this status. Says so if they are more than the counted ones. */
function linkText(status: Kind['status'], isOneOperation: boolean): string {
  return status === '4xx' || isOneOperation ? `Show all ${status}` : 'Show the requests';
}

function kindsOf(total: UsageFiguresInfo): Kind[] {
  const { clientErrors, invalid, unauthorized, notFound, conflicts, limited, serverErrors } = total;
  const status = '4xx';
  const others = clientErrors - invalid - unauthorized - notFound - conflicts;
  return [
    { title: 'Invalid requests (400, 413, 422)', count: invalid, status },
    { title: 'Not authorized (401, 403)', count: unauthorized, status },
    { title: 'Not found (404, 405, 410)', count: notFound, status },
    { title: 'Conflicts (409)', count: conflicts, status: '409' },
    { title: 'Client errors of an unknown kind', count: others, status },
    { title: 'Over the limit, or banned (429)', count: limited, status: '429' },
    { title: 'Server errors (5xx)', count: serverErrors, status: '5xx' },
  ];
}
