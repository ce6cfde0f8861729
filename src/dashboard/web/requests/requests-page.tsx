import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { RequestPage } from '../../shared/requests.ts';
import { useSession } from '../api.ts';
import { OLDER_PAGES, useAddress } from '../common/address.ts';
import { useDialog, useSubject } from '../common/dialog.ts';
import { countText } from '../common/format.ts';
import { olderPagesIn } from '../common/older-pages.ts';
import { Page } from '../common/page.tsx';
import { PageLink } from '../common/page-link.tsx';
import { Empty, Failure, Loading, Pending } from '../common/states.tsx';
import { ALL_KEYS, useAllKeys } from '../keys/key-calls.ts';
import { LiveMark } from '../live/live-mark.tsx';
import { AccountLink, useAccountDetails } from '../operator/account-link.tsx';
import {
  downloadAddress,
  filtersIn,
  NO_FILTERS,
  useFoundRequests,
  useLoggedRequest,
  useRequests,
} from './request-calls.ts';
import { RequestDetail } from './request-detail.tsx';
import { RequestFilters } from './request-filters.tsx';
import { RequestTable } from './request-table.tsx';
import './requests.css';

/**
 * The latest requests of the user's account, or for operators of the account in the page's address.
 */
export default function RequestsPage() {
  const { parameters, change } = useAddress();
  const account = parameters.get('account');
  const filters = filtersIn(parameters);
  const view = `${account} ${filters}`;
  // Links lead to another view of this page, which is not paused. While older requests are being read, new ones would
  // move them.
  const [pausedView, setPausedView] = useState<string>();
  const isReading = olderPagesIn(parameters) > 0;
  const isPaused = isReading || pausedView === view;
  const pause = (isWanted: boolean) => setPausedView(isWanted ? view : undefined);
  const requests = useRequests(filters, account, isPaused);
  const details = useAccountDetails(account);
  const own = useAllKeys(ALL_KEYS, account === null);
  const keys = account === null ? own : details;
  const set = (changed: Readonly<Record<string, string>>, typedIn?: string) => {
    pause(false);
    change(changed, typedIn);
  };
  // An id has more lines than an address, which would move the page.
  if (details.isLoading) {
    return (
      <Page title="Requests">
        <Loading label="Loading the account" height={720} />
      </Page>
    );
  }
  return (
    <Page
      title="Requests"
      description={descriptionOf(account)}
      actions={
        <Actions
          isLoaded={requests.isSuccess && !requests.isPlaceholderData && !isPaused}
          isPaused={isPaused}
          pause={(isWanted) => {
            pause(isWanted);
            if (isReading) change({ [OLDER_PAGES]: '' });
          }}
        />
      }
    >
      <RequestFilters
        filters={filters}
        keys={(account === null ? own.data : details.data?.keys) ?? []}
        onChange={(name, value, isTyped) => set({ [name]: value }, isTyped ? name : undefined)}
        onClear={() => set(NO_FILTERS)}
      />
      {requests.data && keys.error && <Failure error={keys.error} retry={keys.refetch} />}
      <Results requests={requests} filters={filters} account={account} />
    </Page>
  );
}

function descriptionOf(account: string | null): React.ReactNode {
  if (account === null) return 'What your keys sent, and what was answered.';
  return (
    <>
      Of the account <AccountLink id={account} />.
    </>
  );
}

interface ActionsProps {
  /** Whether the latest list is loaded. */
  readonly isLoaded: boolean;
  readonly isPaused: boolean;
  pause(isWanted: boolean): void;
}

function Actions({ isLoaded, isPaused, pause }: ActionsProps) {
  return (
    <Group gap="md" wrap="nowrap">
      <LiveMark isLoaded={isLoaded} />
      <Button variant="default" size="xs" miw={84} onClick={() => pause(!isPaused)}>
        {isPaused ? 'Resume updates' : 'Pause updates'}
      </Button>
    </Group>
  );
}

interface ResultsProps extends Pick<FoundProps, 'filters' | 'account'> {
  readonly requests: ReturnType<typeof useRequests>;
}

function Results({ requests, filters, account }: ResultsProps) {
  const { pages, hasOlder, isLoading, showOlder } = requests.older;
  if (!requests.data) {
    return (
      <Box mih={640}>
        <Pending query={requests} label="Loading requests" height={640} />
      </Box>
    );
  }
  return (
    <Found pages={pages} filters={filters} account={account}>
      {requests.error && <Failure error={requests.error} retry={requests.refetch} />}
      {hasOlder && (
        <Button variant="default" mx="auto" loading={isLoading} onClick={showOlder}>
          Older requests
        </Button>
      )}
    </Found>
  );
}

interface FoundProps {
  readonly pages: readonly RequestPage[];
  readonly filters: URLSearchParams;
  readonly account: string | null;
  readonly children: React.ReactNode;
}

function Found({ pages, filters, account, children }: FoundProps) {
  const requests = pages.flatMap((page) => page.requests);
  const drawer = useDialog('request');
  const wanted = drawer.isOpen ? drawer.subject : '';
  const listed = requests.find(({ id }) => id === wanted);
  const other = useLoggedRequest(listed ? '' : wanted, account);
  const opened = useSubject(drawer, listed ?? other.data?.requests[0]);
  const errors = Object.assign({}, other.data?.errors, ...pages.map((page) => page.errors));
  const [closed, close] = useState('');
  const requestId = filters.get('id') ?? '';
  // A search for one request opens it.
  const only = requests.length === 1 && requestId !== '' ? requests[0] : undefined;
  const found = only?.id === closed ? undefined : only;
  const shown = drawer.isOpen ? opened : found;
  const kept = pages[0]?.kept;
  return (
    <Stack gap="lg" mih={640}>
      {other.error && <Failure error={other.error} retry={other.refetch} />}
      {requests.length > 0 ? (
        <RequestTable requests={requests} onOpen={({ id }) => drawer.open(id)} />
      ) : (
        <Nothing filters={filters} account={account} kept={kept} />
      )}
      {children}
      {kept && <Kept kept={kept} filters={filters} account={account} />}
      <RequestDetail
        request={shown}
        errors={errors}
        onClose={() => {
          close(shown?.id ?? '');
          drawer.close();
        }}
      />
    </Stack>
  );
}

interface KeptProps extends Pick<FoundProps, 'filters' | 'account'> {
  readonly kept: RequestPage['kept'];
}

/** The retention of the log, and its downloads. */
function Kept({ kept: { days, perMinute, requests }, filters, account }: KeptProps) {
  return (
    <Group justify="space-between" align="flex-start" gap="md">
      <Text size="sm" c="dimmed" maw={560}>
        {`Each process of the service records the first ${countText(perMinute)} requests of a minute in each environment, then some more refusals and errors. While it is very busy, it records a sample, errors first. The latest ${countText(requests)} are kept for ${days} days. Bodies and keys never are. Requests without a valid key belong to no account.`}
      </Text>
      <Group gap="sm">
        {(['csv', 'json'] as const).map((form) => (
          <Button
            key={form}
            component="a"
            href={downloadAddress(form, filters, account)}
            download
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            {form.toUpperCase()}
          </Button>
        ))}
      </Group>
    </Group>
  );
}

interface NothingProps extends Pick<FoundProps, 'filters' | 'account'> {
  readonly kept: RequestPage['kept'] | undefined;
}

function Nothing({ filters, account, kept }: NothingProps) {
  const requestId = filters.get('id') ?? '';
  if (kept?.days === 0) {
    return <Empty title="The log is off">The operator of this service records no requests.</Empty>;
  }
  if (requestId !== '') {
    return (
      <>
        <Empty title="No request with this id">
          {filters.size > 1 && 'The other filters apply, too: clear them first. '}A request appears
          within two seconds. It is not here if its reply was 401, since its account is unknown
          then: the reply itself says why. Nor is it if it is older than {kept?.days} days, came
          after the first {countText(kept?.perMinute ?? 0)} of its minute, or arrived while the
          service was very busy.
        </Empty>
        {account === null && <ElsewhereFound requestId={requestId} />}
      </>
    );
  }
  if (filters.size > 0) return <Empty title="No request matches">Change or clear a filter.</Empty>;
  return <Empty title="No requests yet">Send one, and it appears here within two seconds.</Empty>;
}

/** For operators: the accounts in which a request was found. */
function ElsewhereFound({ requestId }: { readonly requestId: string }) {
  const isOperator = useSession().data?.account?.role === 'operator';
  const found = useFoundRequests(requestId, isOperator);
  if (!isOperator) return null;
  if (found.error) return <Failure error={found.error} retry={found.refetch} />;
  return found.data?.requests.map(({ id, accountId, email, method, path, status }) => (
    <Alert key={id} variant="light" title={`${method} ${path}: ${status}`}>
      {'Sent by '}
      <PageLink
        inherit
        href={`/requests?${new URLSearchParams({ account: accountId, id: requestId })}`}
      >
        {email}
      </PageLink>
    </Alert>
  ));
}
