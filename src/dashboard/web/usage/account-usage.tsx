import { Box, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { UsageInfo } from '../../shared/usage.ts';
import { call } from '../api.ts';
import { BanNotices, useBans } from '../bans/ban-notices.tsx';
import { useInSteps } from '../common/in-steps.ts';
import { Pending } from '../common/states.tsx';
import { usageQuery } from './account-queries.ts';
import { Events } from './events.tsx';
import { Requests, useReport } from './requests.tsx';
import { useSelection } from './selection.ts';
import { Windows } from './windows.tsx';
import './usage.css';

interface AccountUsageProps {
  /** The account, for operators; by default the user's own. */
  readonly accountId?: string | undefined;
}

/** The active bans of an account, its remaining requests, and the outcomes of its requests. */
export function AccountUsage({ accountId }: AccountUsageProps) {
  const usage = useUsage(accountId);
  // Everything is loaded first, so that nothing moves after the page is opened.
  const bans = useBans(accountId);
  const report = useReport(accountId, useSelection());
  const isDrawn = useInSteps(Boolean(usage.data && bans.data && !report.isPending));
  if (!usage.data || !isDrawn) {
    const error = usage.error ?? bans.error;
    const refetch = () => Promise.all([usage.refetch(), bans.refetch()]);
    return (
      <Box mih={900}>
        <Pending query={{ error, refetch }} label="Loading usage" height={720} />
      </Box>
    );
  }
  const { windows, events } = usage.data;
  return (
    <Stack gap="xl">
      <BanNotices accountId={accountId} />
      <Windows windows={windows} />
      <Requests accountId={accountId} isInUse={isInUse(windows)} />
      <Events events={events} accountId={accountId} />
    </Stack>
  );
}

export function useUsage(accountId?: string) {
  const { path, ...options } = usageQuery(accountId, '/usage');
  return useQuery({ ...options, queryFn: () => call<UsageInfo>('GET', path) });
}

function isInUse(windows: UsageInfo['windows']): boolean {
  return Object.values(windows).some(({ minute, day }) =>
    [minute, day].some(({ limit, remaining, afterBan = remaining }) => afterBan < limit),
  );
}
