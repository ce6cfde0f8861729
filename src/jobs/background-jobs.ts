import type { Config } from '../config/config.ts';
import type { BanRecord } from '../core/ban-records.ts';
import type { Environment } from '../core/environments.ts';
import { hourOf } from '../core/usage.ts';
import type { Api } from '../http/api.ts';
import { type Clock, DAY, type Instant, MINUTE, SECOND } from '../lib/clock.ts';
import type { Upkeep } from '../lib/scheduler.ts';
import { type KeptLimiter, type LimitKeeping, startLimiter } from '../limits/persistence.ts';
import type { SharedRedis } from '../limits/redis/shared-redis.ts';
import type { LateMetrics } from '../observability/late-metrics.ts';
import type { Log } from '../observability/log.ts';
import type { Stores } from '../storage/stores.ts';
import { LastUsed } from './last-used.ts';
import { UsageRecorder } from './usage-recorder.ts';

/** How often changes by other processes are looked for, in ms; they apply within 1 s. */
const WATCH_EVERY = 0.25 * SECOND;
const SAVE_LAST_USED_EVERY = SECOND;
/** How often usage is saved, in ms; a crash loses no more than this and the time of a commit. */
const SAVE_USAGE_EVERY = 5 * SECOND;
const DELIVER_EVERY = 0.5 * SECOND;
/** Messages delivered in one transaction. */
const DELIVER_AT_ONCE = 500;
const FORGET_EVERY = 10 * MINUTE;
/** How long delivered messages stay in the inbox, in ms. */
const MESSAGES_STAY = 30 * DAY;
/** How long usage is kept, in ms: the 30 days that are shown, and the one that has begun. */
const USAGE_STAYS = 31 * DAY;

/** What goes on beside requests needs. */
export interface Keeping {
  /** Whose requests are counted in this process. */
  readonly environments: readonly Environment[];
  readonly config: Config;
  readonly stores: Stores;
  /** Where requests are counted; in memory without it. */
  readonly redis: SharedRedis | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: LateMetrics;
  readonly upkeep: Upkeep;
}

export interface Kept {
  readonly limiters: ReadonlyMap<Environment, KeptLimiter>;
  readonly recordUse: Api['recordUse'];
  /** Forgets what has no say any more; goes on by itself, every ten minutes. */
  pruneExpired(): Promise<void>;
}

/** Starts what counts requests, and keeps what was counted; each job goes on until the upkeep stops. */
export async function startKeeping(keeping: Keeping): Promise<Kept> {
  const { stores, clock, upkeep } = keeping;
  // Before bans are read: what is lifted while this starts is a change, too.
  const seen = await stores.changes.revision();
  const limiters = await startLimiters(keeping);
  const recordUse = startRecordingUse(keeping);
  const pruneExpired = () => pruneStores(stores, limiters, clock.now());
  upkeep.every(FORGET_EVERY, 'forget old rows', pruneExpired);
  watchChanges(seen, limiters, keeping);
  return { limiters, recordUse, pruneExpired };
}

async function startLimiters({
  environments,
  config,
  stores,
  redis,
  clock,
  log,
  metrics,
  upkeep,
}: Keeping): Promise<Map<Environment, KeptLimiter>> {
  const started = environments.map(async (environment) => {
    const keeping = {
      environment,
      policy: config.banPolicy,
      bans: stores.bans,
      clock,
      upkeep,
      onBan: () => metrics.banned(environment),
      onLostBan: ({ id }: BanRecord, err: unknown) =>
        log.error({ ban: id, err }, 'ban cannot be recorded'),
    } satisfies Omit<LimitKeeping, 'quotas'>;
    const limiter = redis
      ? await redis.startLimiter(keeping)
      : await startLimiter({ ...keeping, quotas: stores.environment(environment).quotas });
    return [environment, limiter] as const;
  });
  return new Map(await Promise.all(started));
}

/** Keeps when keys were used, and what came of it; saved beside requests. */
function startRecordingUse({ environments, stores, upkeep }: Keeping): Api['recordUse'] {
  const lastUsed = new LastUsed(stores.keys);
  upkeep.saveEvery(SAVE_LAST_USED_EVERY, 'save last use', () => lastUsed.save());
  const recorders = new Map(
    environments.map((name) => [name, new UsageRecorder(stores.usage, name)]),
  );
  for (const [name, recorder] of recorders) {
    upkeep.saveEvery(SAVE_USAGE_EVERY, `save ${name} usage`, () => recorder.save());
  }
  return (key, status, usedAt) => {
    if (status !== 429) lastUsed.note(key, usedAt);
    recorders.get(key.environment)?.note(key.accountId, status, usedAt);
  };
}

/** Moves what is queued to the inboxes, the oldest first. */
export function deliverMessages({ stores, clock, upkeep }: Keeping): void {
  upkeep.every(DELIVER_EVERY, 'deliver messages', async () => {
    const deliver = () => stores.messages.deliver(clock.now().wall, DELIVER_AT_ONCE);
    while ((await deliver()) === DELIVER_AT_ONCE);
  });
}

async function pruneStores(
  stores: Stores,
  limiters: ReadonlyMap<Environment, KeptLimiter>,
  now: Instant,
): Promise<void> {
  const forgetIn = async (limiter: KeptLimiter) => {
    limiter.sweep(now);
    const { pets, quotas } = stores.environment(limiter.environment);
    await quotas.prune(now.wall);
    await pets.forgetRequests(now);
  };
  await Promise.all([...limiters.values()].map(forgetIn));
  await stores.messages.forget(now.wall - MESSAGES_STAY);
  await stores.usage.forget(hourOf(now.wall - USAGE_STAYS));
}

/** Applies what other processes, such as the commands, changed: keys, plans, lifted bans. */
function watchChanges(
  first: bigint,
  limiters: ReadonlyMap<Environment, KeptLimiter>,
  { stores, clock, upkeep }: Keeping,
): void {
  const { changes, credentials, bans } = stores;
  let seen = first;
  upkeep.every(WATCH_EVERY, 'watch for changes', async () => {
    const revision = await changes.revision();
    if (revision === seen) return;
    credentials.forget();
    const lifted = await bans.lifted(clock.now().wall);
    seen = revision;
    // What is away now hears of it when it is back.
    const lift = (ban: BanRecord) => limiters.get(ban.environment)?.lift(ban);
    await Promise.allSettled(lifted.map(lift));
  });
}
