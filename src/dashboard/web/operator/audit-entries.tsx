import { Paper, Text } from '@mantine/core';
import type { AuditInfo } from '../../shared/operator.ts';
import { ACTION_TITLES } from '../common/audit-titles.ts';
import { withNamesIsolated } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { Time } from '../common/time.tsx';

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
  entry: { at, by, action, accountId, email, detail, device, address },
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
          {withNamesIsolated(detail)}
        </Text>
        {device !== undefined && (
          <Text size="xs" c="dimmed" className="entry-title">
            {`${device}, from ${address}`}
          </Text>
        )}
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
