import { SimpleGrid } from '@mantine/core';
import { PLAN_NAMES } from '../../../core/limits/plans.ts';
import { useSession } from '../api.ts';
import { Page } from '../common/page.tsx';
import { Pending } from '../common/states.tsx';
import { ChangeRequest } from './change-request.tsx';
import { PlanCard } from './plan-card.tsx';
import './plan.css';

/** All plans, with the account's own plan marked, and instructions to request another one. */
export default function PlanPage() {
  const session = useSession();
  const { data } = session;
  const account = data?.account;
  return (
    <Page
      title="Plan"
      description="Limits apply to each environment separately, and to all of its keys together."
    >
      {account ? (
        <>
          <SimpleGrid
            component="ul"
            className="plans"
            cols={{ base: 1, xs: 2, lg: 4 }}
            spacing="md"
          >
            {PLAN_NAMES.map((plan) => (
              <PlanCard key={plan} plan={plan} account={account} />
            ))}
          </SimpleGrid>
          <ChangeRequest account={account} contact={data.contact} />
        </>
      ) : (
        <Pending query={session} label="Loading the plans" height={480} />
      )}
    </Page>
  );
}
