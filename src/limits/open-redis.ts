import type { Config } from '../config/config.ts';
import type { AttemptCounts } from '../core/attempts.ts';
import type { RedisDependencies, SharedRedis } from './redis/shared-redis.ts';

/** Connects to Redis if it is configured; loads the client only then. */
export async function openRedis(
  { redis: address, redisTimeout }: Config,
  dependencies: RedisDependencies,
): Promise<SharedRedis | undefined> {
  if (!address) return undefined;
  const { connectRedis } = await import('./redis/shared-redis.ts');
  return connectRedis(address, redisTimeout, dependencies);
}

/** Returns the counts of attempts to sign in: those in Redis if it is configured, otherwise this process's own. */
export async function loadAttempts(redis: SharedRedis | undefined): Promise<AttemptCounts> {
  if (redis) return redis.attempts;
  const { MemoryAttemptCounts } = await import('./memory/attempt-counts.ts');
  return new MemoryAttemptCounts();
}
