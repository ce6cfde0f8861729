import type { LiveTopic } from '../../shared/live.ts';

/**
 * Interval of loading the usage of other accounts for operators, in ms, because the live channel
 * does not cover it.
 */
const LOAD_EVERY = 5_000;

/**
 * The path below /api of data about an account's usage, and the options of its query.
 * @param accountId the account, for operators; by default the user's own.
 * @param topic of the user's own data.
 */
export function usageQuery(
  accountId: string | undefined,
  ownPath: string,
  topic: LiveTopic = 'usage',
) {
  if (accountId === undefined) return { path: ownPath, queryKey: [topic, ownPath] };
  const path = `/operator/accounts/${accountId}${ownPath}`;
  return { path, queryKey: ['operator', path], refetchInterval: LOAD_EVERY };
}
