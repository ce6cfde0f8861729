import { Alert, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { PLANS } from '../../../core/limits/plans.ts';
import { requestsOf } from '../../../core/requests/usage.ts';
import type { KeyInfo } from '../../shared/api.ts';
import type {
  AccountBanInfo,
  AccountDetailsInfo,
  AccountUsageInfo,
} from '../../shared/operator.ts';
import { useDialog, useSubject } from '../common/dialog.ts';
import {
  countText,
  ENVIRONMENT_TITLES,
  keyText,
  limitsText,
  quotedKeyText,
} from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { Failure, Loading } from '../common/states.tsx';
import { Time, Until, useNow } from '../common/time.tsx';
import { isLive, KeyState } from '../keys/key-state.tsx';
import { useAccountDetails } from './account-link.tsx';
import { Section } from './account-section.tsx';
import { AuditEntries } from './audit-entries.tsx';
import { Figure } from './figure.tsx';
import { actionsOn, type OperatorAction, useActionDialog } from './operator-actions.tsx';
import { OperatorPage } from './operator-page.tsx';
import { PlanDialog } from './plan-dialog.tsx';
import './operator.css';

/** All data of one account, and the actions that operators can take. */
export default function OneAccountPage({ id }: { readonly id: string }) {
  const details = useAccountDetails(id);
  return (
    <OperatorPage
      title={details.data?.account.email ?? 'Account'}
      // A long address takes more lines than its placeholder, but must not move the content below.
      description={details.isPending ? undefined : DESCRIPTION}
    >
      {details.data && <Details details={details.data} />}
      {details.error && <Failure error={details.error} retry={details.refetch} />}
      {details.isPending && <Loading label="Loading the account" height={640} />}
    </OperatorPage>
  );
}

const DESCRIPTION = 'Plan, keys, usage, bans, sessions and changes of this account.';
const FACTORS = ['No second factor', '1 second factor'];

interface DetailsProps {
  readonly details: AccountDetailsInfo;
}

function Details({ details }: DetailsProps) {
  const { account, keys } = details;
  const actions = actionsOn(account);
  const [dialog, ask] = useActionDialog([...actions, ...keys.filter(isLive).map(revocationOf)]);
  const plan = useDialog('plan');
  const subject = useSubject(plan, plan.subject === account.id ? account : undefined);
  return (
    <Stack gap="xl">
      <Summary details={details} />
      <Group gap="sm">
        <Button variant="default" onClick={() => plan.open(account.id)}>
          Change plan
        </Button>
        {actions.map((each) => (
          <Button
            key={each.title}
            variant="default"
            {...(each.isDangerous && { c: 'var(--mantine-color-error)' })}
            onClick={() => ask(each)}
          >
            {each.title}
          </Button>
        ))}
      </Group>
      <Usage details={details} />
      <Keys details={details} ask={ask} />
      <Bans details={details} />
      <Sessions details={details} />
      <Section
        title="Changes"
        links={[[`/operator/audit?account=${account.id}`, 'All of them']]}
        isEmpty={details.audit.length === 0}
      >
        <AuditEntries entries={details.audit} />
      </Section>
      {dialog}
      {subject && (
        <PlanDialog key={plan.key} account={subject} isOpen={plan.isOpen} close={plan.close} />
      )}
    </Stack>
  );
}

function Summary({ details: { account, secondFactors } }: DetailsProps) {
  const { plan, limits, role, suspended, createdAt, id } = account;
  const factors = secondFactors.passkeys + (secondFactors.hasTotp ? 1 : 0);
  return (
    <Stack gap="sm">
      {suspended && (
        <Alert variant="light" color="red" title="Suspended">
          {suspended.reason} · since <Time at={suspended.at} />
        </Alert>
      )}
      <Group gap="sm">
        <Badge variant="light">{PLANS[plan].title}</Badge>
        {role === 'operator' && (
          <Badge variant="light" color="grape">
            Operator
          </Badge>
        )}
        <Text size="sm">{limitsText(limits)}</Text>
        <Text size="sm" c="dimmed">
          Since <Time at={createdAt} />
        </Text>
        <Text size="sm" c="dimmed">
          {FACTORS[factors] ?? `${factors} second factors`}
        </Text>
      </Group>
      <Text size="xs" c="dimmed" ff="monospace" className="entry-title">
        {id}
      </Text>
    </Stack>
  );
}

function Usage({ details: { usage, account } }: DetailsProps) {
  return (
    <Section
      title="Requests"
      links={[
        [`/operator/accounts/${account.id}/usage`, 'Charts and errors'],
        [`/requests?account=${account.id}`, 'Each request'],
      ]}
    >
      <div className="operator-figures">
        {(['production', 'staging'] as const).map((environment) => (
          <EnvironmentUsage
            key={environment}
            account={account.id}
            environment={environment}
            usage={usage[environment]}
          />
        ))}
      </div>
    </Section>
  );
}

interface EnvironmentUsageProps {
  readonly account: string;
  readonly environment: 'production' | 'staging';
  readonly usage: AccountUsageInfo;
}

function EnvironmentUsage({ account, environment, usage }: EnvironmentUsageProps) {
  const { last24Hours: last, last30Days, minute, day } = usage;
  const log = `/requests?${new URLSearchParams({ account, environment })}`;
  const errors = [
    ['4xx', `${countText(last.clientErrors)} client errors`],
    ['429', `${countText(last.limited)} with 429`],
    ['5xx', `${countText(last.serverErrors)} server errors`],
  ] as const;
  return (
    <Figure
      title={`${ENVIRONMENT_TITLES[environment]}, last 24 hours`}
      value={`${countText(requestsOf(last))} requests`}
      href={log}
    >
      <Group gap="xs">
        {errors.map(([status, text]) => (
          <PageLink key={status} href={`${log}&status=${status}`} inherit>
            {text}
          </PageLink>
        ))}
      </Group>
      <div>{`${countText(requestsOf(last30Days))} requests in 30 days`}</div>
      <div>
        {`Left: ${countText(minute.remaining)} of ${countText(minute.limit)} this minute, ${countText(day.remaining)} of ${countText(day.limit)} today (UTC)`}
      </div>
    </Figure>
  );
}

function Keys({ details: { keys }, ask }: DetailsProps & { ask(action: OperatorAction): void }) {
  return (
    <Section title="Keys" isEmpty={keys.length === 0}>
      <Paper component="ul" withBorder className="entries" aria-label="Keys">
        {keys.map((key) => (
          <li key={key.id} className="entry operator-row">
            <div>
              <Text size="sm" fw={600} className="entry-title">
                {key.name}
              </Text>
              <Text size="xs" ff="monospace" c="dimmed">
                {`${key.prefix}…${key.lastFour}`}
              </Text>
            </div>
            <Text size="sm">{key.environment}</Text>
            <div className="operator-state">
              <KeyState value={key} />
            </div>
            <Text size="sm" c="dimmed">
              Used {key.lastUsedAt === null ? 'never' : <Time at={key.lastUsedAt} />}
            </Text>
            {isLive(key) && (
              <Button
                size="xs"
                variant="default"
                c="var(--mantine-color-error)"
                aria-label={`Revoke ${keyText(key)}`}
                onClick={() => ask(revocationOf(key))}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </Paper>
    </Section>
  );
}

function revocationOf({ id, name, lastFour, environment }: KeyInfo): OperatorAction {
  return {
    id: `revoke ${id}`,
    title: 'Revoke key',
    text: `The ${environment} key ${quotedKeyText({ name, lastFour })} gets 401 within a second. This cannot be undone.`,
    path: `/keys/${encodeURIComponent(id)}/revoke`,
    done: `The key ${name} is revoked.`,
    isDangerous: true,
  };
}

function Bans({ details: { bans } }: DetailsProps) {
  return (
    <Section
      title="Bans in the last 30 days"
      links={[['/operator/bans', 'Bans in force']]}
      isEmpty={bans.length === 0}
    >
      <Paper component="ul" withBorder className="entries" aria-label="Bans">
        {bans.map(({ id, environment, reason, startsAt, endsAt, liftedAt }) => (
          <li key={id} className="entry operator-row">
            <Text size="sm">{`${environment}: ${reason}`}</Text>
            <Text size="sm" c="dimmed">
              Since <Time at={startsAt} />
              <BanEnd endsAt={endsAt} liftedAt={liftedAt} />
            </Text>
          </li>
        ))}
      </Paper>
    </Section>
  );
}

function BanEnd({ endsAt, liftedAt }: Pick<AccountBanInfo, 'endsAt' | 'liftedAt'>) {
  const isInForce = useNow() < endsAt && liftedAt === null;
  if (isInForce) return [', left: ', <Until key="end" at={endsAt} />];
  return [liftedAt === null ? ', until ' : ', lifted ', <Time key="end" at={liftedAt ?? endsAt} />];
}

function Sessions({ details: { sessions } }: DetailsProps) {
  return (
    <Section title="Sessions" isEmpty={sessions.length === 0}>
      <Paper component="ul" withBorder className="entries" aria-label="Sessions">
        {sessions.map(({ id, createdAt, ipAddress, userAgent, secondFactor }) => (
          <li key={id} className="entry operator-row">
            <Text size="sm" className="entry-title">
              {userAgent ?? 'A browser'}
            </Text>
            <Text size="sm" c="dimmed">
              {ipAddress ?? 'unknown address'}
              {secondFactor === null ? '' : ', with a second factor'}, since <Time at={createdAt} />
            </Text>
          </li>
        ))}
      </Paper>
    </Section>
  );
}
