import { Alert, Stack, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { BanNotice } from '../../shared/usage.ts';
import { call } from '../api.ts';
import { quotedKeyText } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { Failure } from '../common/states.tsx';
import { Time, Until, useNow } from '../common/time.tsx';
import { usageQuery } from '../usage/account-queries.ts';
import { BEFORE_BAN, requestsAddress } from '../usage/selection.ts';

interface BanNoticesProps {
  /** The account, for operators; by default the user's own. */
  readonly accountId?: string | undefined;
}

/** The active bans of an account's keys at the top of a page, or why they are unknown; nothing if there are none. */
export function BanNotices({ accountId }: BanNoticesProps) {
  const { data, error, refetch } = useBans(accountId);
  if (!data) return error && <Failure error={error} retry={refetch} />;
  if (data.bans.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Bans in force">
      {data.bans.map((ban) => (
        <Notice key={ban.id} ban={ban} accountId={accountId} />
      ))}
    </Stack>
  );
}

export function useBans(accountId?: string) {
  const { path, ...options } = usageQuery(accountId, '/bans');
  return useQuery({ ...options, queryFn: () => call<{ bans: BanNotice[] }>('GET', path) });
}

function Notice({ ban, accountId }: BanNoticesProps & { readonly ban: BanNotice }) {
  const { environment, keys, reason, startsAt, until } = ban;
  const isOver = useNow() >= until;
  if (isOver) return null;
  const names = keys.map(quotedKeyText).join(', ');
  const from = startsAt - BEFORE_BAN;
  const log = { account: accountId, environment, key: keys[0]?.id ?? '', from, to: until };
  return (
    <Alert
      color="red"
      variant="light"
      role="status"
      icon={<IconBan size={18} aria-hidden />}
      title={`${keys.length === 1 ? 'A key is' : 'Keys are'} banned in ${environment}: ${names}`}
    >
      <Stack gap={4}>
        <Text size="sm" className="figures">
          Until <Time at={until} /> every request with {keys.length === 1 ? 'it' : 'them'} gets 429.{' '}
          {/* It may become longer or shorter with every second. */}
          <br />
          Left:{' '}
          <strong>
            <Until at={until} />
          </strong>
        </Text>
        <Text size="sm">
          Why: {reason} The ban began <Time at={startsAt} />.
        </Text>
        <Text size="sm">
          {environment === 'staging' && accountId === undefined ? (
            <>
              It ends by itself, whatever is sent until then; you can also end it in the{' '}
              <PageLink href="/sandbox" inherit c="inherit">
                sandbox
              </PageLink>
              .
            </>
          ) : (
            'It ends by itself, whatever is sent until then; an operator can lift it. A further ban within 24 hours lasts twice as long.'
          )}
        </Text>
        <PageLink href={requestsAddress({ ...log, status: '429' })} size="sm" c="inherit">
          Show the requests that led to it
        </PageLink>
      </Stack>
    </Alert>
  );
}
