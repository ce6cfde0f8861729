import type { ApiKey, BanRecord } from './accounts.ts';
import type { BanPolicy } from './bans.ts';
import type { Environment } from './environments.ts';
import { newId } from './ids.ts';

/** A ban that begins, as it goes on record. @param ban times are epoch ms. */
export function newBanRecord(
  key: Pick<ApiKey, 'id' | 'accountId'>,
  environment: Environment,
  { after }: BanPolicy,
  ban: Pick<BanRecord, 'level' | 'startsAt' | 'endsAt'>,
): BanRecord {
  return {
    id: newId('ban', ban.startsAt),
    keyId: key.id,
    accountId: key.accountId,
    environment,
    reason: `Went on after 429, ${times(after)} in the same window.`,
    ...ban,
    liftedAt: undefined,
    liftedBy: undefined,
  };
}

function times(count: number): string {
  return count === 1 ? 'once more' : `${count} more times`;
}
