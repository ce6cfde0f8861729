import type { Config } from '../config/config.ts';
import type { AttemptLimiter } from '../core/attempts.ts';
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

/**
 * Returns the limiter of sign-in attempts and of requests to the dashboard: in Redis if it is configured, otherwise in
 * the memory of this process.
 */
export async function loadAttempts(redis: SharedRedis | undefined): Promise<AttemptLimiter> {
  if (redis) return redis.attempts;
  const { MemoryAttemptLimiter } = await import('./memory/attempt-limiter.ts');
  return new MemoryAttemptLimiter();
}
