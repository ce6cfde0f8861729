import { DAY } from '../../lib/clock.ts';
import type { Environment } from '../environments.ts';
import type { ApiKey, ApiKeyStore } from '../keys/api-keys.ts';
import type { BanRecord, BanStore } from '../limits/ban-records.ts';
import {
  addCounts,
  hourOf,
  NO_USAGE,
  type UsageCounts,
  type UsageStore,
} from '../requests/usage.ts';
import type { Account } from './accounts.ts';
import type { AuditLog, AuditRecord } from './audit.ts';
import type { SecondFactorStore, SecondFactors } from './second-factors.ts';
import type { SessionRecord, SessionStore } from './sessions.ts';

/** The maximum number of keys, bans and audit log entries shown for an account. */
const MOST_SHOWN = 50;
/** Days of usage that are shown. */
const DAYS_SHOWN = 30;

/** What an operator first needs to know about an account. */
export interface AccountDetails {
  readonly account: Account;
  /** Newest first, at most 50. */
  readonly keys: readonly ApiKey[];
  /** From the last 30 days, at most 50. */
  readonly bans: readonly BanRecord[];
  readonly sessions: readonly SessionRecord[];
  readonly secondFactors: SecondFactors;
  /** Requests in the last 24 hours and the last 30 days, in whole hours and days (UTC). */
  readonly usage: Readonly<
    Record<Environment, { readonly day: UsageCounts; readonly month: UsageCounts }>
  >;
  /** Newest first, at most 50. */
  readonly audit: readonly AuditRecord[];
}

interface DetailedStores {
  readonly keys: Pick<ApiKeyStore, 'page'>;
  readonly bans: Pick<BanStore, 'ofAccount'>;
  readonly sessions: Pick<SessionStore, 'ofAccount'>;
  readonly secondFactors: Pick<SecondFactorStore, 'of'>;
  readonly usage: Pick<UsageStore, 'byPeriod'>;
  readonly audit: Pick<AuditLog, 'list'>;
}

/** @param now epoch ms. May raise `StorageUnavailable`. */
export async function accountDetails(
  stores: DetailedStores,
  account: Account,
  now: number,
): Promise<AccountDetails> {
  const { id: accountId } = account;
  return {
    account,
    keys: await stores.keys.page(accountId, MOST_SHOWN),
    bans: await stores.bans.ofAccount(accountId, now - DAYS_SHOWN * DAY, MOST_SHOWN),
    sessions: await stores.sessions.ofAccount(accountId, now),
    secondFactors: await stores.secondFactors.of(accountId),
    usage: await usageOf(stores, accountId, now),
    audit: await stores.audit.list(MOST_SHOWN, undefined, { accountId }),
  };
}

async function usageOf(
  { usage }: DetailedStores,
  accountId: string,
  now: number,
): Promise<AccountDetails['usage']> {
  const first = hourOf(Math.floor(now / DAY - DAYS_SHOWN + 1) * DAY);
  const periods = await usage.byPeriod({ accountId, first });
  const ofEnvironment = (name: Environment) => {
    const month = periods.filter(({ environment }) => environment === name);
    const day = month.filter(({ hour }) => hour > hourOf(now - DAY));
    return { day: day.reduce(addCounts, NO_USAGE), month: month.reduce(addCounts, NO_USAGE) };
  };
  return { production: ofEnvironment('production'), staging: ofEnvironment('staging') };
}
