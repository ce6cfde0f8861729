import { useSession } from '../api.ts';
import { Page } from '../common/page.tsx';
import { Failure, Loading } from '../common/states.tsx';
import { Simulations } from './simulations.tsx';

/** What can be rehearsed in staging. */
export default function SandboxPage() {
  const { data, error, refetch } = useSession();
  return (
    <Page
      title="Sandbox"
      description="Rehearse in staging what cannot be summoned. Production is never affected."
    >
      {data ? (
        <Simulations addresses={data.addresses} />
      ) : error ? (
        <Failure error={error} retry={refetch} />
      ) : (
        <Loading label="Loading the sandbox" height={480} />
      )}
    </Page>
  );
}
