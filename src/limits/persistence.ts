import type { AdjustableLimiter } from '../core/adjustable-limiter.ts';
import type { BanRecord, BanStore } from '../core/ban-records.ts';
import type { BanPolicy } from '../core/bans.ts';
import type { Environment } from '../core/environments.ts';
import { StorageUnavailable } from '../core/errors.ts';
import type { QuotaStore } from '../core/quota.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { type Clock, DAY, type Instant, SECOND } from '../lib/clock.ts';
import type { BackgroundJobs } from '../lib/scheduler.ts';
import { MemoryLimiter } from './memory/limiter.ts';
import { SavedQuotas } from './memory/saved-quotas.ts';

/** How often quotas are saved, in ms; with the time of two commits, that is what a crash loses. */
const SAVE_QUOTAS_EVERY = 0.75 * SECOND;
/**
 * Callers taken from the limiter at a time: some 15 ms of this thread. While nothing can be saved,
 * hundreds of thousands may wait, and each attempt would take all of them for nothing.
 */
const SAVED_AT_ONCE = 10_000;
const RECORD_BANS_EVERY = 0.1 * SECOND;

export interface LimiterDependencies {
  readonly environment: Environment;
  readonly policy: BanPolicy;
  readonly quotas: QuotaStore;
  readonly bans: BanStore;
  readonly clock: Clock;
  readonly jobs: BackgroundJobs;
  /** Called with every ban that begins; must not wait. */
  readonly onBan: (ban: BanRecord) => void;
  /** Called with a ban that can never be recorded, for example because its key is gone. */
  readonly onLostBan: (ban: BanRecord, error: unknown) => void;
}

/** The limiter of an environment, with what background jobs maintain in it. */
export interface EnvironmentLimiter extends AdjustableLimiter {
  readonly environment: Environment;
  /** Ends a lifted ban. May reject while Redis is unavailable; the ban is read again once it recovers. */
  lift(ban: BanRecord): Awaitable<void>;
  /**
   * Forgets what all accounts have used, and all strikes and bans. May raise `StorageUnavailable`.
   * @param accountIds finds the accounts, for a limiter that looks them up one by one.
   */
  reset(accountIds: () => Awaitable<readonly string[]>): Awaitable<void>;
  pruneExpired(now: Instant): void;
}

/** Starts a limiter with the saved quotas and bans; background jobs persist what it decides. */
export async function startLimiter(dependencies: LimiterDependencies): Promise<MemoryLimiter> {
  const { environment, policy, quotas, bans, clock, jobs } = dependencies;
  const now = clock.now();
  const saved = new SavedQuotas(quotas, now);
  const limiter = new MemoryLimiter({
    environment,
    policy,
    saved,
    ...recordNewBans(dependencies),
  });
  const latest = await bans.latest(now.wall - DAY);
  const own = latest.filter((ban) => ban.environment === environment);
  limiter.restore(own, now);

  // Added before the job that saves, so that at the stop, too, quotas are read first.
  jobs.everyAndAtStop(SAVE_QUOTAS_EVERY, `read ${environment} quotas`, () =>
    limiter.readUnread(clock.now()),
  );
  jobs.everyAndAtStop(SAVE_QUOTAS_EVERY, `save ${environment} quotas`, () =>
    saveQuotas(limiter, dependencies),
  );
  return limiter;
}

/** How a limiter reports its bans. */
interface NewBans {
  /** Queues a ban that begins to be recorded. */
  readonly onBan: (ban: BanRecord) => void;
  /** Records what is queued, and waits for it. May raise `StorageUnavailable`. */
  readonly recordBans: () => Promise<void>;
}

/** Starts the job that records new bans. */
export function recordNewBans(dependencies: Omit<LimiterDependencies, 'quotas'>): NewBans {
  const { environment, jobs } = dependencies;
  const unrecorded: BanRecord[] = [];
  let recording: Promise<void> | undefined;
  // One at a time: each takes the first of the queue when it is on record.
  const record = () => {
    recording ??= recordBans(unrecorded, dependencies).finally(() => {
      recording = undefined;
    });
    return recording;
  };
  jobs.everyAndAtStop(RECORD_BANS_EVERY, `record ${environment} bans`, record);
  return {
    onBan: (ban) => {
      unrecorded.push(ban);
      dependencies.bans.begin(ban);
      dependencies.onBan(ban);
    },
    recordBans: async () => {
      if (unrecorded.length > 0) await record();
    },
  };
}

async function saveQuotas(
  limiter: MemoryLimiter,
  { quotas, clock }: LimiterDependencies,
): Promise<void> {
  for (let taken = SAVED_AT_ONCE; taken === SAVED_AT_ONCE; ) {
    const unsaved = limiter.takeUnsaved(clock.now(), SAVED_AT_ONCE);
    taken = unsaved.changed.length + unsaved.dropped.length;
    try {
      await quotas.save(unsaved.changed);
      await quotas.drop(unsaved.dropped);
    } catch (error) {
      limiter.returnUnsaved(unsaved);
      throw error;
    }
  }
}

/** Takes a ban off the list once it is on record, or can never be. */
async function recordBans(
  unrecorded: BanRecord[],
  { bans, onLostBan }: Pick<LimiterDependencies, 'bans' | 'onLostBan'>,
): Promise<void> {
  for (let ban = unrecorded[0]; ban; ban = unrecorded[0]) {
    try {
      await bans.record(ban);
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      onLostBan(ban, error);
    }
    unrecorded.shift();
  }
}
