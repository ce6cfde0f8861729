import { Page } from '../common/page.tsx';
import { LiveMark } from '../live/live-mark.tsx';
import { AccountUsage, useUsage } from './account-usage.tsx';

/** The current usage of whoever is signed in, and the outcomes of the account's requests. */
export default function UsagePage() {
  const { isSuccess } = useUsage();
  return (
    <Page
      title="Usage"
      description="All keys of an environment count together. A request passes when both windows have room."
      actions={<LiveMark isCurrent={isSuccess} />}
    >
      <AccountUsage />
    </Page>
  );
}
