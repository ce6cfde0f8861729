import { Button, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditAction } from '../../../core/audit.ts';
import type { AuditInfo } from '../../shared/api.ts';
import { call } from '../api.ts';
import { Empty, Failure, Loading } from '../common/states.tsx';
import { Time } from '../common/time.tsx';
import { OperatorPage } from './operator-page.tsx';
import './operator.css';

const TITLES: Readonly<Record<AuditAction, string>> = {
  'account.created': 'Account created',
  'account.deleted': 'Account deleted',
  'account.plan_changed': 'Plan changed',
  'account.role_changed': 'Role changed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.sessions_ended': 'Sessions ended',
  'account.reset_link_made': 'Reset link made',
  'second_factor.added': 'Second factor added',
  'second_factor.renamed': 'Second factor renamed',
  'second_factor.removed': 'Second factor removed',
  'second_factor.codes_renewed': 'Recovery codes renewed',
  'second_factor.code_used': 'Recovery code used',
  'second_factor.reset': 'Second factors reset',
  'key.created': 'Key created',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'key.removed': 'Ended key removed',
  'sandbox.clock_advanced': 'Clock of staging advanced',
  'sandbox.usage_set': 'Usage in staging set',
  'sandbox.key_banned': 'Key banned in the sandbox',
  'sandbox.ban_lifted': 'Ban lifted in the sandbox',
  'sandbox.simulation_set': 'Simulation in staging set',
  'sandbox.reset': 'Sandbox reset',
  'ban.lifted': 'Ban lifted',
  'environment.reset': 'Environment reset',
};

/** Entries in one reply; fewer mean that there are no older ones. */
const ENTRIES_AT_ONCE = 50;

/** Who changed what, in the dashboard or on the command line. */
export default function AuditPage() {
  return (
    <OperatorPage
      title="Audit log"
      description="Who changed what, here and by the commands; the newest first."
    >
      <AuditLog />
    </OperatorPage>
  );
}

function AuditLog() {
  const log = useInfiniteQuery({
    queryKey: ['operator', 'audit'],
    queryFn: ({ pageParam }) =>
      call<{ entries: AuditInfo[] }>(
        'GET',
        `/operator/audit${pageParam === undefined ? '' : `?before=${pageParam}`}`,
      ),
    initialPageParam: olderThan([]),
    getNextPageParam: ({ entries }) => olderThan(entries),
  });
  if (!log.data) {
    if (log.error) return <Failure error={log.error} retry={log.refetch} />;
    return <Loading label="Loading the audit log" height={640} />;
  }
  const entries = log.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <Empty title="Nothing yet">Changes appear here.</Empty>;
  return (
    <Stack gap="md" align="stretch">
      <Paper component="ul" withBorder className="entries" aria-label="Audit log">
        {entries.map((entry) => (
          <li key={entry.number} className="entry audit">
            <Entry entry={entry} />
          </li>
        ))}
      </Paper>
      {log.isFetchNextPageError && <Failure error={log.error} />}
      {log.hasNextPage && (
        <Button
          variant="default"
          className="audit-older"
          loading={log.isFetchingNextPage}
          onClick={() => void log.fetchNextPage()}
        >
          Older
        </Button>
      )}
    </Stack>
  );
}

function Entry({ entry: { at, by, action, accountId, detail } }: { readonly entry: AuditInfo }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        <Time at={at} />
      </Text>
      <div>
        <Text fw={600}>{TITLES[action]}</Text>
        <Text size="sm" className="entry-title">
          {detail}
        </Text>
      </div>
      <div>
        <Text size="sm" className="entry-title">{`By ${by}`}</Text>
        <Text size="xs" c="dimmed" className="entry-title">
          {accountId}
        </Text>
      </div>
    </>
  );
}

/** The cursor of the page after these entries; `undefined` after the last page. */
function olderThan(entries: readonly AuditInfo[]): number | undefined {
  return entries.length < ENTRIES_AT_ONCE ? undefined : entries.at(-1)?.number;
}
