import { Button, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { BanInfo, BanList } from '../../shared/operator.ts';
import { call } from '../api.ts';
import { countText, keyText, quotedKeyText } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { Empty, Failure, Pending } from '../common/states.tsx';
import { Time, Until } from '../common/time.tsx';
import { type OperatorAction, useActionDialog } from './operator-actions.tsx';
import { OperatorPage } from './operator-page.tsx';
import './operator.css';

/** The active bans, each with a button to lift it. */
export default function BansPage() {
  return (
    <OperatorPage
      title="Bans"
      description="Keys that kept sending requests after a 429, and are refused for a while."
    >
      <Bans />
    </OperatorPage>
  );
}

function Bans() {
  // Receives the focus when the focused button disappears with its ban.
  const place = useRef<HTMLDivElement>(null);
  const inForce = useQuery({
    queryKey: ['operator', 'bans'],
    queryFn: () => call<BanList>('GET', '/operator/bans'),
  });
  const liftings = inForce.data?.bans.map(liftingOf) ?? [];
  const [dialog, ask] = useActionDialog(liftings, () => place.current?.focus());
  if (!inForce.data) return <Pending query={inForce} label="Loading bans" height={320} />;
  const { bans, total } = inForce.data;
  return (
    <Stack gap="xl" ref={place} tabIndex={-1}>
      {inForce.error && <Failure error={inForce.error} retry={inForce.refetch} />}
      {bans.length === 0 ? (
        <Empty title="No key is banned">Bans appear here while they are in force.</Empty>
      ) : (
        <div>
          {total > bans.length && (
            <Text size="sm" c="dimmed" mb="xs">
              {`${countText(bans.length)} of ${countText(total)} bans: the latest ones. The command bans list shows all.`}
            </Text>
          )}
          <Paper component="ul" withBorder className="entries" aria-label="Bans in force">
            {bans.map((ban) => (
              <li key={ban.id} className="entry ban">
                <Ban ban={ban} lift={() => ask(liftingOf(ban))} />
              </li>
            ))}
          </Paper>
        </div>
      )}
      {dialog}
    </Stack>
  );
}

function liftingOf({ id, environment, keyName, lastFour, email }: BanInfo): OperatorAction {
  return {
    id: `lift ${id}`,
    title: 'Lift ban',
    question: 'Lift this ban?',
    text: `The ${environment} key ${quotedKeyText({ name: keyName, lastFour })} of ${email} works again within a second, with a clean record. The audit log will show that you lifted the ban.`,
    path: `/bans/${encodeURIComponent(id)}/lift`,
    done: `The ban of ${email} is lifted.`,
  };
}

function Ban({ ban, lift }: { readonly ban: BanInfo; lift(): void }) {
  const { accountId, email, environment, keyName, lastFour, reason, startsAt, endsAt } = ban;
  return (
    <>
      <div>
        <PageLink
          href={`/operator/accounts/${accountId}`}
          fw={600}
          className="entry-title"
          underline="hover"
        >
          {email}
        </PageLink>
        <Text size="sm">{`${environment} key ${quotedKeyText({ name: keyName, lastFour })}`}</Text>
        <Text size="sm" c="dimmed">
          {reason}
        </Text>
      </div>
      <div>
        <Text size="sm">
          Ends in <Until at={endsAt} />
        </Text>
        <Text size="sm" c="dimmed">
          Since <Time at={startsAt} />
        </Text>
      </div>
      <Button
        variant="default"
        aria-label={`Lift ban of ${email}, key ${keyText({ name: keyName, lastFour })}`}
        onClick={lift}
      >
        Lift ban
      </Button>
    </>
  );
}
