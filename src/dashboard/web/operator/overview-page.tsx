import { Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { requestsOf } from '../../../core/requests/usage.ts';
import type { OverviewInfo } from '../../shared/operator.ts';
import { call } from '../api.ts';
import { Code } from '../common/copy.tsx';
import { countText } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { Failure, Pending } from '../common/states.tsx';
import { durationText, Time } from '../common/time.tsx';
import { RequestsChart } from '../usage/requests-chart.tsx';
import { Section } from './account-section.tsx';
import { Busiest, focusList, isListedBy, type ListedBy, listAddress } from './busiest.tsx';
import { Figure } from './figure.tsx';
import { Health } from './health.tsx';
import { OperatorPage } from './operator-page.tsx';
import { SlowestOperations } from './slowest-operations.tsx';
import './operator.css';

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
  const chosen = new URLSearchParams(useSearch()).get('by');
  const by: ListedBy = isListedBy(chosen) ? chosen : 'requests';
  const overview = useQuery({
    queryKey: ['operator', 'overview', by],
    queryFn: () => call<OverviewInfo>('GET', `/operator/overview?by=${by}`),
    refetchInterval: REFRESH,
    placeholderData: keepPreviousData,
  });
  if (!overview.data) return <Pending query={overview} label="Loading the overview" height={480} />;
  return (
    <Stack gap="xl">
      {overview.error && <Failure error={overview.error} retry={overview.refetch} />}
      <Figures overview={overview.data} />
      <Section title="Requests by hour">
        <RequestsChart
          span="hours"
          buckets={overview.data.hours}
          total={overview.data.requests}
          height={160}
          isInUse={false}
        />
      </Section>
      <Health overview={overview.data} />
      <Busiest overview={overview.data} by={by} />
      <SlowestOperations overview={overview.data} />
    </Stack>
  );
}

function Figures({ overview }: { readonly overview: OverviewInfo }) {
  const { requests, bansInForce, lastBackup, backupCommand, now } = overview;
  const { clientErrors, limited, serverErrors } = requests;
  const age = lastBackup && durationText(Math.max(0, now - lastBackup.at));
  return (
    <div className="operator-figures">
      <Figure
        title="Requests"
        value={countText(requestsOf(requests))}
        href={listAddress('requests')}
        onClick={focusList}
      >
        with a valid key
      </Figure>
      <Figure
        title="Client errors"
        value={countText(clientErrors)}
        href={listAddress('clientErrors')}
        onClick={focusList}
      >
        and{' '}
        <PageLink href={listAddress('limited')} inherit onClick={focusList}>
          {countText(limited)} with 429
        </PageLink>
      </Figure>
      <Figure
        title="Server errors"
        value={countText(serverErrors)}
        href={listAddress('serverErrors')}
        onClick={focusList}
      >
        5xx
      </Figure>
      <Figure title="Bans in force" value={countText(bansInForce)} href="/operator/bans">
        keys that kept sending after a 429
      </Figure>
      <Figure title="Last backup" value={age === null ? 'None' : `${age} ago`}>
        {lastBackup ? <Time at={lastBackup.at} /> : 'Make one with this command:'}
        <Code value={backupCommand} label="the backup command" />
      </Figure>
    </div>
  );
}
