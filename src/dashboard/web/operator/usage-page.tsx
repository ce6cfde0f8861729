import { useSession } from '../api.ts';
import { Loading } from '../common/states.tsx';
import { AccountUsage } from '../usage/account-usage.tsx';
import { AccountLink, useAccountDetails } from './account-link.tsx';
import { OperatorPage } from './operator-page.tsx';

/** The usage of any account. */
export default function OperatorUsagePage({ accountId }: { readonly accountId: string }) {
  const isOperator = useSession().data?.account?.role === 'operator';
  // An id has more lines than an address, which would move the page.
  const { isLoading } = useAccountDetails(isOperator ? accountId : null);
  if (isLoading) {
    return (
      <OperatorPage title="Usage">
        <Loading label="Loading the account" height={900} />
      </OperatorPage>
    );
  }
  return (
    <OperatorPage
      title="Usage"
      description={
        <>
          Of the account <AccountLink id={accountId} />.
        </>
      }
    >
      <AccountUsage accountId={accountId} />
    </OperatorPage>
  );
}
