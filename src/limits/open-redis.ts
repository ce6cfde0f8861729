import type { Config } from '../config/config.ts';
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
