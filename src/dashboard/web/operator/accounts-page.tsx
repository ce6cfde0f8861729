import { Loader, Stack, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountInfo } from '../../shared/api.ts';
import { MAX_ACCOUNTS } from '../../shared/bounds.ts';
import { call } from '../api.ts';
import { useDialog } from '../common/dialog.ts';
import { Empty, Pending } from '../common/states.tsx';
import { TYPING_PAUSE } from '../common/typing-pause.ts';
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
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_PAUSE);
  const { key, subject, isOpen, open, close } = useDialog<AccountInfo>();
  const found = useQuery({
    queryKey: ['operator', 'accounts', search],
    queryFn: () =>
      call<{ accounts: AccountInfo[] }>(
        'GET',
        `/operator/accounts?search=${encodeURIComponent(search)}`,
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="md">
      <TextInput
        type="search"
        label="E-mail address"
        placeholder="Any part of it"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rightSection={found.isFetching && <Loader size="xs" aria-hidden="true" />}
        maw={420}
        autoComplete="off"
        spellCheck={false}
      />
      {found.data ? (
        <Found accounts={found.data.accounts} search={search} choose={open} />
      ) : (
        <Pending query={found} label="Loading accounts" height={480} />
      )}
      {subject && <PlanDialog key={key} account={subject} isOpen={isOpen} close={close} />}
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
