import type { Account } from '../accounts/accounts.ts';
import type { Environment } from '../environments.ts';
import type { WindowUsage } from './rate-limit.ts';

/** The requests currently remaining in one window. */
export interface CurrentWindow extends Pick<WindowUsage, 'limit' | 'remaining'> {
  /** When it resets on the service's clock: epoch ms, in whole seconds as in `X-RateLimit-Reset`. */
  readonly resetsAt: number;
}

export interface CurrentWindows {
  readonly minute: CurrentWindow;
  readonly day: CurrentWindow;
}

/** The current usage of an account in an environment. May raise `StorageUnavailable`. */
export type CurrentUsage = (
  account: Pick<Account, 'id' | 'limits'>,
  environment: Environment,
) => Promise<CurrentWindows>;
