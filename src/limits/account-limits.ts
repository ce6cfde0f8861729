import type { CurrentUsage } from '../core/current-usage.ts';
import type { Environment } from '../core/environments.ts';
import type { SandboxControl } from '../core/sandbox-control.ts';
import type { Clock } from '../lib/clock.ts';
import { lazy } from '../lib/lazy.ts';
import type { Stores } from '../storage/stores.ts';
import type { EnvironmentLimiter } from './persistence.ts';

/** Access to the state of accounts in the limiters; the code is loaded at the first call. */
interface AccountLimits {
  /** The current usage of accounts. */
  currentUsage(): Promise<CurrentUsage>;
  /** The sandbox of staging. */
  sandbox(): Promise<SandboxControl>;
}

/** @param limiters of the environments that this process serves. */
export function accountLimits(
  limiters: ReadonlyMap<Environment, EnvironmentLimiter>,
  stores: Stores,
  clock: Clock,
): AccountLimits {
  const currentUsage = lazy(async () => {
    const { currentUsageFrom } = await import('./current-usage.ts');
    return currentUsageFrom(limiters, stores, clock);
  });
  const sandbox = lazy(async () => {
    const { SandboxControl } = await import('../core/sandbox-control.ts');
    const usageOf = await currentUsage();
    return new SandboxControl({
      ...stores,
      pets: stores.environment('staging').pets,
      limiter: limiters.get('staging'),
      usage: (account) => usageOf(account, 'staging'),
    });
  });
  return { currentUsage, sandbox };
}
