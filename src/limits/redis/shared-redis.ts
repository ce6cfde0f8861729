import type { RedisAddress } from '../../config/redis-address.ts';
import type { Environment } from '../../core/environments.ts';
import { messageOf } from '../../core/errors.ts';
import type { AttemptLimiter } from '../../core/limits/attempts.ts';
import { type Clock, DAY, SECOND } from '../../lib/clock.ts';
import type { Readiness } from '../../lib/readiness.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { MemoryAttemptLimiter } from '../memory/attempt-limiter.ts';
import { MemoryLimiter } from '../memory/limiter.ts';
import { type LimiterDependencies, recordNewBans } from '../persistence.ts';
import { RedisAttemptLimiter } from './attempt-limiter.ts';
import { RedisConnection } from './connection.ts';
import { RedisLimiter } from './limiter.ts';

/** How long a start waits for Redis, in ms, unless the silence timeout is longer. */
const READY_TIMEOUT = 2 * SECOND;
const HEARTBEAT_INTERVAL = SECOND;
/** How long a start waits until the other processes know this one, in ms. */
const KNOWN_TIMEOUT = 2 * HEARTBEAT_INTERVAL;
const KNOWN_CHECK_PAUSE = 0.1 * SECOND;
/** How often to check whether Redis became available or unavailable, in ms. */
const SYNC_INTERVAL = 0.1 * SECOND;

/** Redis, shared by several processes. */
export interface SharedRedis extends AsyncDisposable {
  /** Starts a limiter that shares its counts with all processes on this Redis. */
  startLimiter(dependencies: Omit<LimiterDependencies, 'quotas'>): Promise<RedisLimiter>;
  /** Counts the attempts of all processes on this Redis. */
  readonly attempts: AttemptLimiter;
}

/** Dependencies for reporting the state of Redis. */
export interface RedisDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** The connection that the limiters share. */
interface Link {
  readonly connection: RedisConnection;
  /** How often the availability of Redis has changed. After a change, Redis may lack stored bans. */
  changes(): number;
  /** Adds work to do before the connection is closed. */
  atClose(work: () => Promise<void>): void;
}

/**
 * Connects to Redis, continuing in the background if it takes too long; logs changes of its availability.
 * @param silenceTimeout as in `Circuit`, in ms.
 */
export async function connectRedis(
  address: RedisAddress,
  silenceTimeout: number,
  { clock, log, metrics, readiness }: RedisDependencies,
): Promise<SharedRedis> {
  let changes = 0;
  const unavailable = new Set<string>();
  const countUnavailable = () => {
    changes += 1;
    metrics.redisUnavailable(unavailable.size);
  };
  const connection = new RedisConnection({
    address,
    silenceTimeout,
    clock,
    events: {
      onUnavailable: (redis, cause) => {
        unavailable.add(redis);
        countUnavailable();
        const error = messageOf(cause);
        log.warn(
          { redis, error },
          'Redis is unavailable: each process applies its share of the limits locally',
        );
      },
      onAvailable: (redis) => {
        unavailable.delete(redis);
        countUnavailable();
        log.info({ redis }, 'Redis is available again');
      },
      onConnected: () => {
        changes += 1;
      },
      onReply: (took) => metrics.redis.observe(took / SECOND),
      onError: () => metrics.redisFailures.inc(),
    },
  });
  if (!(await connection.ready(Math.max(READY_TIMEOUT, silenceTimeout)))) {
    const { problem } = connection;
    const error = problem === undefined ? undefined : messageOf(problem);
    log.warn({ error }, 'Redis cannot be reached: limits are applied locally until it can');
  }
  readiness.addOptional('redis', () => {
    if (unavailable.size === 0) return undefined;
    return `${[...unavailable].join(', ')} is unavailable: each process applies its share of the limits locally.`;
  });
  const atClose: Array<() => Promise<void>> = [];
  const link: Link = {
    connection,
    changes: () => changes,
    atClose: (work) => void atClose.push(work),
  };
  return {
    startLimiter: (dependencies) => startLimiter(link, dependencies),
    attempts: new RedisAttemptLimiter(connection, new MemoryAttemptLimiter()),
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(atClose.map((work) => work()));
      await connection.close();
    },
  };
}

async function startLimiter(
  redis: Link,
  dependencies: Omit<LimiterDependencies, 'quotas'>,
): Promise<RedisLimiter> {
  const { environment, policy, bans, clock, jobs } = dependencies;
  const newBans = recordNewBans(dependencies);
  const local = new MemoryLimiter({ environment, policy, ...newBans });
  const { connection } = redis;
  const limiter = new RedisLimiter({ environment, policy, connection, local, ...newBans });

  let seen = -1;
  const synchronize = async () => {
    const changes = redis.changes();
    if (changes === seen) return;
    const { wall } = clock.now();
    const latest = (await bans.latest(wall - DAY)).filter(isOf(environment));
    const lifted = (await bans.lifted(wall)).filter(isOf(environment));
    seen = changes;
    try {
      // First, because it also restores the bans in this process, which decides while Redis is unavailable.
      await limiter.restore(latest, clock.now());
      for (const ban of lifted) await limiter.lift(ban);
      await limiter.sendHeartbeat(clock.now());
      await limiter.flushLocalCounts();
    } catch {
      // Unavailable again. This runs again when that changes.
    }
  };
  await synchronize();
  redis.atClose(() => limiter.leaveGroup(clock.now()));
  await becomeKnown(limiter, clock);
  jobs.every(SYNC_INTERVAL, `restore ${environment} bans`, synchronize);
  // While Redis is unavailable the last known group is used.
  const heartbeat = async () => void (await limiter.sendHeartbeat(clock.now()).catch(() => {}));
  jobs.every(HEARTBEAT_INTERVAL, `heartbeat in ${environment}`, heartbeat);
  return limiter;
}

/**
 * Waits until the other processes know this one, so that they leave it a share of the limits before it serves
 * requests. Until then it has none while Redis is unavailable.
 */
async function becomeKnown(limiter: RedisLimiter, clock: Clock): Promise<void> {
  for (let waited = 0; waited < KNOWN_TIMEOUT; waited += KNOWN_CHECK_PAUSE) {
    try {
      if (await limiter.sendHeartbeat(clock.now())) return;
    } catch {
      // Unavailable: this process knows of no others.
      return;
    }
    await Bun.sleep(KNOWN_CHECK_PAUSE);
  }
}

function isOf(environment: Environment) {
  return (ban: { readonly environment: Environment }) => ban.environment === environment;
}
