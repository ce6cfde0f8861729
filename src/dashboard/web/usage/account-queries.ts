/** How often operators load what other accounts use, of which the live channel tells nothing, in ms. */
const LOAD_EVERY = 5_000;

/**
 * The path below /api of something about an account's usage, and the options of its query.
 * @param accountId the account, for operators; otherwise that of whoever is signed in.
 */
export function usageQuery(accountId: string | undefined, ownPath: string) {
  if (accountId === undefined) return { path: ownPath, queryKey: ['usage', ownPath] };
  const path = `/operator/accounts/${accountId}${ownPath}`;
  return { path, queryKey: ['operator', path], refetchInterval: LOAD_EVERY };
}
