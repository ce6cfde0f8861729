import { AccountUsage } from '../usage/account-usage.tsx';
import { OperatorPage } from './operator-page.tsx';

/** The usage of any account. */
export default function OperatorUsagePage({ accountId }: { readonly accountId: string }) {
  return (
    <OperatorPage title="Usage of an account" description={accountId}>
      <AccountUsage accountId={accountId} />
    </OperatorPage>
  );
}
