import { AccountUsage } from '../usage/account-usage.tsx';
import { AccountLink } from './account-link.tsx';
import { OperatorPage } from './operator-page.tsx';

/** The usage of any account. */
export default function OperatorUsagePage({ accountId }: { readonly accountId: string }) {
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
