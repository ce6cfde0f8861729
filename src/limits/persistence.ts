import type { Environment } from '../core/environments.ts';
import { StorageUnavailable } from '../core/errors.ts';
import type { AdjustableLimiter } from '../core/limits/adjustable-limiter.ts';
import type { BanRecord, BanStore } from '../core/limits/ban-records.ts';
import type { BanPolicy } from '../core/limits/bans.ts';
import type { QuotaStore } from '../core/limits/quota.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { chunks } from '../lib/chunks.ts';
import { type Clock, DAY, type Instant, SECOND } from '../lib/clock.ts';
import type { BackgroundJobs } from '../lib/scheduler.ts';
import { MemoryLimiter } from './memory/limiter.ts';
import { SavedQuotas } from './memory/saved-quotas.ts';

/**
 * The pause between two saves of all changed quotas, in ms. With the saves, which take some 0.1 s for 10,000 callers, a
 * crash loses at most the counts of 0.75 s and of two commits.
 */
const SAVE_QUOTAS_EVERY = 0.65 * SECOND;
/** Quotas taken from the limiter at a time: few enough to block neither this thread nor the writer for long. */
const SAVED_AT_ONCE = 500;
/** Callers sorted at a time, in less than 1 ms. Slices in the order of the table write few pages of a file twice. */
const SORTED_AT_ONCE = 2_000;
const RECORD_BANS_EVERY = 0.1 * SECOND;

export interface LimiterDependencies {
  readonly environment: Environment;
  readonly policy: BanPolicy;
  readonly quotas: QuotaStore;
  readonly bans: BanStore;
  readonly clock: Clock;
  readonly jobs: BackgroundJobs;
  /** Called with every new ban; must not wait. */
  readonly onBan: (ban: BanRecord) => void;
  /** Called with a ban that can never be recorded, for example because its key was deleted. */
  readonly onLostBan: (ban: BanRecord, error: unknown) => void;
}

/** The limiter of an environment, with the operations that background jobs need. */
export interface EnvironmentLimiter extends AdjustableLimiter {
  readonly environment: Environment;
  /** Ends a lifted ban. May reject while Redis is unavailable; the ban is read again once it recovers. */
  lift(ban: BanRecord): Awaitable<void>;
  /**
   * Clears the usage of all accounts, and all strikes and bans. May raise `StorageUnavailable`.
   * @param accountIds returns the accounts, for a limiter that clears them one by one.
   */
  reset(accountIds: () => Awaitable<readonly string[]>): Awaitable<void>;
  pruneExpired(now: Instant): void;
}

/** Starts a limiter with the saved quotas and bans; background jobs persist its changes. */
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

  // Added before the job that saves, so that quotas are also read before the last save.
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
  /** Queues a new ban to be recorded. */
  readonly onBan: (ban: BanRecord) => void;
  /** Records the queued bans, and waits for it. May raise `StorageUnavailable`. */
  readonly recordBans: () => Promise<void>;
}

/** Starts the job that records new bans. */
export function recordNewBans(dependencies: Omit<LimiterDependencies, 'quotas'>): NewBans {
  const { environment, jobs } = dependencies;
  const unrecorded: BanRecord[] = [];
  let recording: Promise<void> | undefined;
  // One run at a time, because each run removes recorded bans from the front of the queue.
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

/** Saves what has changed until now, a slice at a time. What changes in the meantime is left to the next run. */
async function saveQuotas(
  { unsaved }: MemoryLimiter,
  { quotas, clock }: LimiterDependencies,
): Promise<void> {
  // First, because a crash brings back what is not deleted yet.
  for (const dropped of chunks(unsaved.dropped, SAVED_AT_ONCE)) {
    await quotas.drop(dropped);
    unsaved.noteDeleted(dropped);
  }
  for (let left = unsaved.size; left > 0; left -= SORTED_AT_ONCE) {
    for (const callers of chunks(unsaved.callers(SORTED_AT_ONCE), SAVED_AT_ONCE)) {
      const taken = unsaved.take(callers, clock.now());
      try {
        await quotas.save(taken);
      } catch (error) {
        unsaved.putBack(taken);
        throw error;
      }
    }
  }
}

/** Records the bans, and removes each from the list once it is stored or can never be. */
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
