import { Box, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { UsageInfo } from '../../shared/api.ts';
import { call } from '../api.ts';
import { Page } from '../common/page.tsx';
import { Failure, Loading } from '../common/states.tsx';
import { LiveMark } from '../live/live-mark.tsx';
import { Events } from './events.tsx';
import { Requests } from './requests.tsx';
import { Windows } from './windows.tsx';
import './usage.css';

/** The current usage of an account, and the outcomes of its requests. */
export default function UsagePage() {
  const usage = useQuery({
    queryKey: ['usage'],
    queryFn: () => call<UsageInfo>('GET', '/usage'),
  });
  return (
    <Page
      title="Usage"
      description="All keys of an environment count together. A request passes when both windows have room."
      actions={<LiveMark isCurrent={usage.isSuccess} />}
    >
      {usage.data ? (
        <Stack gap="xl">
          <Windows windows={usage.data.windows} />
          <Requests
            hours={usage.data.hours}
            days={usage.data.days}
            isInUse={isInUse(usage.data.windows)}
          />
          <Events events={usage.data.events} />
        </Stack>
      ) : (
        <Box mih={900}>
          {usage.error ? (
            <Failure error={usage.error} retry={usage.refetch} />
          ) : (
            <Loading label="Loading usage" height={720} />
          )}
        </Box>
      )}
    </Page>
  );
}

function isInUse(windows: UsageInfo['windows']): boolean {
  return Object.values(windows).some(
    ({ minute, day }) => minute.remaining < minute.limit || day.remaining < day.limit,
  );
}
