import { Table, Text } from '@mantine/core';
import { OUTCOMES, requestsOf } from '../../../core/requests/usage.ts';
import type { OverviewInfo } from '../../shared/operator.ts';
import { countText } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { StackedHead } from '../common/stacked-head.tsx';
import { DAY } from '../common/time.tsx';
import { OUTCOME_STYLES } from '../usage/outcomes.ts';
import { requestsAddress } from '../usage/selection.ts';
import { Section } from './account-section.tsx';

/** The id of the list of accounts, to which the figures lead. */
const LIST = 'accounts';

/** What accounts are listed by; the default is all requests. */
const TITLES = {
  requests: 'Accounts with the most requests',
  clientErrors: 'Accounts with the most client errors',
  limited: 'Accounts with the most 429',
  serverErrors: 'Accounts with the most server errors',
} as const;

export type ListedBy = keyof typeof TITLES;

export function isListedBy(name: string | null): name is ListedBy {
  return name !== null && Object.hasOwn(TITLES, name);
}

/** The address of the list of accounts with the most of these requests. */
export function listAddress(by: ListedBy): string {
  return `/operator/overview?by=${by}#${LIST}`;
}

/** Shows the list, because links that lead to it stay on the page. */
export function focusList(): void {
  document.getElementById(LIST)?.focus();
}

const COLUMNS = ['Account', 'Requests', 'Client errors', '429', 'Server errors'] as const;

/** The statuses of an outcome in the request log. */
const STATUSES = { clientErrors: '4xx', limited: '429', serverErrors: '5xx' } as const;

interface BusiestProps {
  readonly overview: OverviewInfo;
  readonly by: ListedBy;
}

/** The accounts with the most requests, or the most of one outcome; each number leads to the requests. */
export function Busiest({ overview, by }: BusiestProps) {
  const { accounts, now } = overview;
  return (
    <Section id={LIST} title={TITLES[by]} isEmpty={accounts.length === 0}>
      <Table className="stacked" role="table" aria-label={TITLES[by]}>
        <StackedHead columns={COLUMNS} />
        <Table.Tbody role="rowgroup">
          {accounts.map((account) => (
            <Row key={account.id} account={account} now={now} />
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

interface RowProps {
  readonly account: OverviewInfo['accounts'][number];
  readonly now: number;
}

function Row({ account, now }: RowProps) {
  const { id, email } = account;
  const of = { account: id, from: now - DAY, to: now };
  return (
    <Table.Tr role="row">
      <Table.Td role="cell" data-label="Account">
        {email === null ? (
          <Text inherit className="address">{`${id} (deleted)`}</Text>
        ) : (
          <PageLink href={`/operator/accounts/${id}`} inherit className="address">
            {email}
          </PageLink>
        )}
      </Table.Td>
      <Table.Td role="cell" data-label="Requests">
        <Count count={requestsOf(account)} href={requestsAddress(of)} />
      </Table.Td>
      {OUTCOMES.map((outcome) => {
        if (outcome === 'succeeded') return null;
        const { title } = OUTCOME_STYLES[outcome];
        const href = requestsAddress({ ...of, status: STATUSES[outcome] });
        return (
          <Table.Td key={outcome} role="cell" data-label={title}>
            <Count count={account[outcome]} href={href} />
          </Table.Td>
        );
      })}
    </Table.Tr>
  );
}

/** A number that leads to the requests that it counts, if there are any. */
function Count({ count, href }: { readonly count: number; readonly href: string }) {
  if (count === 0) return '0';
  return (
    <PageLink href={href} inherit>
      {countText(count)}
    </PageLink>
  );
}
