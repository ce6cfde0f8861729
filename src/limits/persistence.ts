import type { BanRecord, BanStore } from '../core/ban-records.ts';
import type { BanPolicy } from '../core/bans.ts';
import type { Environment } from '../core/environments.ts';
import { StorageUnavailable } from '../core/errors.ts';
import type { Limiter } from '../core/limiter.ts';
import type { QuotaStore } from '../core/quota.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { type Clock, DAY, type Instant, SECOND } from '../lib/clock.ts';
import type { BackgroundJobs } from '../lib/scheduler.ts';
import { MemoryLimiter } from './memory/limiter.ts';
import { SavedQuotas } from './memory/saved-quotas.ts';

/** How often quotas are saved, in ms; with the time of a commit, a crash loses less than 1 s. */
const SAVE_QUOTAS_EVERY = 0.75 * SECOND;
/**
 * Callers taken from the limiter at a time: some 15 ms of this thread. While nothing can be saved,
 * hundreds of thousands wait, and each try would take all of them in vain.
 */
const SAVED_AT_ONCE = 10_000;
const RECORD_BANS_EVERY = 0.1 * SECOND;

export interface LimitKeeping {
  readonly environment: Environment;
  readonly policy: BanPolicy;
  readonly quotas: QuotaStore;
  readonly bans: BanStore;
  readonly clock: Clock;
  readonly jobs: BackgroundJobs;
  /** Hears of every ban that begins; must not wait. */
  readonly onBan: (ban: BanRecord) => void;
  /** Hears of a ban that can never be on record, as when its key is gone. */
  readonly onLostBan: (ban: BanRecord, error: unknown) => void;
}

/** A limiter that hears of lifted bans, and forgets. */
export interface KeptLimiter extends Limiter {
  readonly environment: Environment;
  /** May reject while what counts is away; it is told again when that is back. */
  lift(ban: BanRecord): Awaitable<void>;
  pruneExpired(now: Instant): void;
}

/** A limiter that goes on where the last process stopped; what it decides is kept for the next. */
export async function startLimiter(keeping: LimitKeeping): Promise<MemoryLimiter> {
  const { environment, policy, quotas, bans, clock, jobs } = keeping;
  const now = clock.now();
  const saved = new SavedQuotas(quotas, now);
  const limiter = new MemoryLimiter({ environment, policy, saved, onBan: recordNewBans(keeping) });
  const latest = await bans.latest(now.wall - DAY);
  const own = latest.filter((ban) => ban.environment === environment);
  limiter.restore(own, now);

  // Added before the job that saves, so that at the stop, too, quotas are read first.
  jobs.everyAndAtStop(SAVE_QUOTAS_EVERY, `read ${environment} quotas`, () =>
    limiter.readUnread(clock.now()),
  );
  jobs.everyAndAtStop(SAVE_QUOTAS_EVERY, `save ${environment} quotas`, () =>
    saveQuotas(limiter, keeping),
  );
  return limiter;
}

/** Starts the job that records new bans; the returned function queues one for it. */
export function recordNewBans(keeping: Omit<LimitKeeping, 'quotas'>): (ban: BanRecord) => void {
  const unrecorded: BanRecord[] = [];
  keeping.jobs.everyAndAtStop(RECORD_BANS_EVERY, `record ${keeping.environment} bans`, () =>
    recordBans(unrecorded, keeping),
  );
  return (ban) => {
    unrecorded.push(ban);
    keeping.onBan(ban);
  };
}

async function saveQuotas(limiter: MemoryLimiter, { quotas, clock }: LimitKeeping): Promise<void> {
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
  { bans, onLostBan }: Pick<LimitKeeping, 'bans' | 'onLostBan'>,
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
