import { Page } from '../common/page.tsx';
import { LiveMark } from '../live/live-mark.tsx';
import { AccountUsage, useUsage } from './account-usage.tsx';

/** The current usage of the user's account, and the outcomes of its requests. */
export default function UsagePage() {
  const { isSuccess } = useUsage();
  return (
    <Page
      title="Usage"
      description="All keys of an environment count together. A request passes when both windows have room."
      actions={<LiveMark isLoaded={isSuccess} />}
    >
      <AccountUsage />
    </Page>
  );
}
