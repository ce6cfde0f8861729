import { Loader, Stack, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AccountInfo } from '../../shared/api.ts';
import { MAX_ACCOUNTS } from '../../shared/bounds.ts';
import { call } from '../api.ts';
import { useAddress } from '../common/address.ts';
import { useDialog, useSubject } from '../common/dialog.ts';
import { SearchField } from '../common/search-field.tsx';
import { Empty, Failure, Pending } from '../common/states.tsx';
import { useAccountDetails } from './account-link.tsx';
import { AccountList } from './account-list.tsx';
import { OperatorPage } from './operator-page.tsx';
import { PlanDialog } from './plan-dialog.tsx';
import './operator.css';

/** Finds accounts and changes their plans. */
export default function AccountsPage() {
  return (
    <OperatorPage
      title="Accounts"
      description="Find an account by its e-mail address; change its plan."
    >
      <Accounts />
    </OperatorPage>
  );
}

function Accounts() {
  const { parameters, change } = useAddress();
  const text = parameters.get('search') ?? '';
  const search = text.trim();
  const found = useQuery({
    queryKey: ['operator', 'accounts', search],
    queryFn: () =>
      call<{ accounts: AccountInfo[] }>(
        'GET',
        `/operator/accounts?search=${encodeURIComponent(search)}`,
      ),
    placeholderData: keepPreviousData,
  });
  const plan = useDialog('plan');
  const { key, isOpen, close } = plan;
  const listed = found.data?.accounts.find(({ id }) => id === plan.subject);
  const other = useAccountDetails(isOpen && found.data && !listed ? plan.subject : null);
  const { error, refetch } = found.data && found.error ? found : other;
  const account = useSubject(plan, listed ?? other.data?.account);
  return (
    <Stack gap="md">
      <SearchField
        label="E-mail address"
        placeholder="Any part of it"
        value={text}
        onSearch={(entered) => change({ search: entered }, 'search')}
        rightSection={found.isFetching && <Loader size="xs" aria-hidden="true" />}
        maw={420}
      />
      {error && <Failure error={error} retry={refetch} />}
      {found.data ? (
        <Found accounts={found.data.accounts} search={search} choose={({ id }) => plan.open(id)} />
      ) : (
        <Pending query={found} label="Loading accounts" height={480} />
      )}
      {account && <PlanDialog key={key} account={account} isOpen={isOpen} close={close} />}
    </Stack>
  );
}

interface FoundProps {
  readonly accounts: readonly AccountInfo[];
  readonly search: string;
  choose(account: AccountInfo): void;
}

function Found({ accounts, search, choose }: FoundProps) {
  const count = countOf(accounts.length);
  return (
    <>
      <VisuallyHidden role="status">{count}</VisuallyHidden>
      {accounts.length === 0 ? (
        <Empty title="No account found">
          {search === '' ? 'Nobody has signed up yet.' : `No address contains “${search}”.`}
        </Empty>
      ) : (
        <AccountList accounts={accounts} caption={count} choose={choose} />
      )}
    </>
  );
}

function countOf(found: number): string {
  if (found >= MAX_ACCOUNTS) return `The first ${MAX_ACCOUNTS} accounts; search to see others`;
  return found === 1 ? '1 account' : `${found} accounts`;
}
