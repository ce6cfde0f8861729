import type { Config } from '../config/config.ts';
import type { AttemptCounts } from '../core/attempts.ts';
import type { Clock } from '../lib/clock.ts';
import type { Readiness } from '../lib/readiness.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { SharedRedis } from './redis/shared-redis.ts';

interface Dependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** Connects to Redis if it is configured; its client is only loaded then. */
export async function openRedis(
  { redis: address }: Config,
  dependencies: Dependencies,
): Promise<SharedRedis | undefined> {
  if (!address) return undefined;
  const { connectRedis } = await import('./redis/shared-redis.ts');
  const redis = await connectRedis(address, dependencies);
  dependencies.readiness.addOptional('redis', () => redis.problem());
  return redis;
}

/** What counts attempts to sign in: Redis, or this process alone. */
export async function loadAttempts(redis: SharedRedis | undefined): Promise<AttemptCounts> {
  const { MemoryAttemptCounts } = await import('./memory/attempt-counts.ts');
  return redis?.attempts ?? new MemoryAttemptCounts();
}
