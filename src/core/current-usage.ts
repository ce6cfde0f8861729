import type { Account } from './accounts.ts';
import type { Environment } from './environments.ts';
import type { WindowUsage } from './rate-limit.ts';

/** What is left of one window just now. */
export interface CurrentWindow extends Pick<WindowUsage, 'limit' | 'remaining'> {
  /** When it resets by the service's clock: epoch ms, in whole seconds as in `X-RateLimit-Reset`. */
  readonly resetsAt: number;
}

export interface CurrentWindows {
  readonly minute: CurrentWindow;
  readonly day: CurrentWindow;
}

/** What an account has left in an environment just now. May raise `StorageUnavailable`. */
export type CurrentUsage = (
  account: Pick<Account, 'id' | 'limits'>,
  environment: Environment,
) => Promise<CurrentWindows>;
