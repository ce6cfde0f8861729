import { Paper, Text } from '@mantine/core';
import type { AuditAction } from '../../../core/audit.ts';
import type { AuditInfo } from '../../shared/operator.ts';
import { PageLink } from '../common/page-link.tsx';
import { Time } from '../common/time.tsx';

/** The text for each kind of entry. */
export const ACTION_TITLES: Readonly<Record<AuditAction, string>> = {
  'account.created': 'Account created',
  'account.deleted': 'Account deleted',
  'account.plan_changed': 'Plan changed',
  'account.role_changed': 'Role changed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.sessions_ended': 'Sessions ended',
  'account.reset_link_made': 'Reset link made',
  'second_factor.added': 'Second factor added',
  'second_factor.renamed': 'Second factor renamed',
  'second_factor.removed': 'Second factor removed',
  'second_factor.codes_renewed': 'Recovery codes renewed',
  'second_factor.code_used': 'Recovery code used',
  'second_factor.reset': 'Second factors reset',
  'key.created': 'Key created',
  'key.rotated': 'Key rotated',
  'key.renamed': 'Key renamed',
  'key.revoked': 'Key revoked',
  'key.removed': 'Ended key removed',
  'sandbox.clock_advanced': 'Clock of staging advanced',
  'sandbox.usage_set': 'Usage in staging set',
  'sandbox.key_banned': 'Key banned in the sandbox',
  'sandbox.ban_lifted': 'Ban lifted in the sandbox',
  'sandbox.simulation_set': 'Simulation in staging set',
  'sandbox.reset': 'Sandbox reset',
  'ban.lifted': 'Ban lifted',
  'environment.reset': 'Environment reset',
};

/** Entries of the audit log. */
export function AuditEntries({ entries }: { readonly entries: readonly AuditInfo[] }) {
  return (
    <Paper component="ul" withBorder className="entries" aria-label="Audit log">
      {entries.map((entry) => (
        <li key={entry.number} className="entry audit">
          <Entry entry={entry} />
        </li>
      ))}
    </Paper>
  );
}

function Entry({
  entry: { at, by, action, accountId, email, detail },
}: {
  readonly entry: AuditInfo;
}) {
  return (
    <>
      <Text size="sm" c="dimmed">
        <Time at={at} />
      </Text>
      <div>
        <Text fw={600}>{ACTION_TITLES[action]}</Text>
        <Text size="sm" className="entry-title">
          {detail}
        </Text>
      </div>
      <div>
        <Text
          size="sm"
          className="entry-title"
        >{`By ${by.startsWith('acct_') ? `a deleted account (${by})` : by}`}</Text>
        <Text size="xs" c="dimmed" className="entry-title">
          {email === null ? (
            accountId && `${accountId} (deleted)`
          ) : (
            <PageLink href={`/operator/accounts/${accountId}`} inherit>
              {email}
            </PageLink>
          )}
        </Text>
      </div>
    </>
  );
}
