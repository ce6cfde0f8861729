import { Stack } from '@mantine/core';
import { failedWith, useSession } from '../api.ts';
import { Page } from '../common/page.tsx';
import { Failure, Pending } from '../common/states.tsx';
import { WhileActive } from '../common/suspension.tsx';
import { Bans } from './bans.tsx';
import { Clock } from './clock.tsx';
import { Reset } from './reset.tsx';
import { useSandbox, useSandboxChange, useUsageChange } from './sandbox-calls.ts';
import { Simulations } from './simulations.tsx';
import { UsageLeft } from './usage-left.tsx';

/** The account's sandbox in staging: clock, limits, bans, simulations, and their reset. */
export default function SandboxPage() {
  const session = useSession();
  const sandbox = useSandbox();
  const { mutate, isPending: isBusy, error } = useSandboxChange();
  const usage = useUsageChange();
  const failure = error ?? usage.error ?? sandbox.error;
  const info = sandbox.data;
  return (
    <Page
      title="Sandbox"
      description="Try errors, limits and dates in staging. Production and other accounts are not affected."
      actions={
        <WhileActive>
          <Reset />
        </WhileActive>
      }
    >
      {info ? (
        <Stack gap="md">
          {failure && <Failure error={failure} />}
          <Clock
            info={info}
            isBusy={isBusy}
            onAdvance={(seconds) => mutate({ kind: 'advance', seconds })}
          />
          <UsageLeft
            info={info}
            onChange={(left) =>
              usage.mutateAsync(left).then(
                () => false,
                // The page shows the error.
                (error) => failedWith(error, 'signed_out'),
              )
            }
          />
          <Bans
            info={info}
            isBusy={isBusy}
            onBan={(keyId, seconds) => mutate({ kind: 'ban', keyId, ban: { seconds } })}
            onLift={(keyId) => mutate({ kind: 'lift', keyId })}
          />
          {session.data && <Simulations {...session.data} />}
        </Stack>
      ) : (
        <Pending query={sandbox} label="Loading the sandbox" height={720} />
      )}
    </Page>
  );
}
