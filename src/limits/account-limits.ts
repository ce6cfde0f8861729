import type { Environment } from '../core/environments.ts';
import type { AttemptLimiter } from '../core/limits/attempts.ts';
import { SandboxControl } from '../core/sandbox/sandbox-control.ts';
import type { Stability } from '../core/stability.ts';
import type { Clock } from '../lib/clock.ts';
import type { Stores } from '../storage/stores.ts';
import { currentUsageFrom } from './current-usage.ts';
import { MemoryAttemptLimiter } from './memory/attempt-limiter.ts';
import type { EnvironmentLimiter } from './persistence.ts';
import type { SharedRedis } from './redis/shared-redis.ts';

interface Dependencies {
  /** Of the environments that this process serves. */
  readonly limiters: ReadonlyMap<Environment, EnvironmentLimiter>;
  readonly stores: Stores;
  readonly redis: SharedRedis | undefined;
  /** The least stable level that is served. */
  readonly stability: Stability;
  readonly clock: Clock;
}

/**
 * The limits of accounts, as the dashboard and the sandbox show and change them: the current usage, the sandbox of
 * staging, and the limiter of attempts to sign in and of requests to the dashboard, in Redis if it is configured.
 */
export function accountLimits({ limiters, stores, redis, stability, clock }: Dependencies) {
  const currentUsage = currentUsageFrom(limiters, stores, clock);
  const { pets, orders } = stores.environment('staging');
  const sandbox = new SandboxControl({
    ...stores,
    pets,
    orders,
    stability,
    limiter: limiters.get('staging'),
    usage: (account) => currentUsage(account, 'staging'),
  });
  const attempts: AttemptLimiter = redis?.attempts ?? new MemoryAttemptLimiter();
  return { currentUsage, sandbox, attempts };
}
