import type { Limits } from '../../core/limits/plans.ts';
import { type Instant, MINUTE, SECOND } from '../../lib/clock.ts';

/** A longer time without heartbeats is an interruption, in ms: processes send one a second. */
export const INTERRUPTION = 2.5 * SECOND;
/** Time after which every process has sent a heartbeat, in ms, once Redis is available again. */
const ALL_REPORTED = 5 * SECOND;
/** Uninterrupted time after which a process without heartbeats is no longer in the group, in ms. */
export const RETENTION = 10 * MINUTE;

/** What Redis knows of the group at a heartbeat. Times are epoch ms on the server's clock. */
export interface GroupReport {
  /** Later than the times of all earlier reports. */
  readonly at: number;
  /** Since when heartbeats have arrived without interruption. */
  readonly since: number;
  /** The latest request that a process admitted locally; 0 if none is known. */
  readonly locallyAt: number;
  /** The latest report that each process has received; for a new process, the time of its first heartbeat. */
  readonly seen: ReadonlyMap<string, number>;
  /** Processes that have stopped. */
  readonly left: readonly string[];
}

/** Another process. */
interface Member {
  /** The latest report that it has received, on the server's clock. */
  readonly seenAt: number;
  /** The same on the elapsed scale of this process. */
  readonly lastSeen: number;
}

const NOTHING: Limits = { perMinute: 0, perDay: 0 };

/**
 * The processes that share the same limits. While Redis is unavailable each applies its share of every limit: the
 * shares add up to the limit, and none exceeds the limit divided by the number of processes, rounded up.
 *
 * No share may rise while another process may still use, or has used within the last minute, what would be added
 * to it. A process therefore stays in the group until it has stopped or was missing for the whole retention, in
 * which Redis was available without interruption; and a new process has no share until all others know it.
 */
export class ProcessGroup {
  /** Id of this process. */
  readonly id = crypto.randomUUID();
  readonly #others = new Map<string, Member>();
  /** The first heartbeat of this process, on the server's clock. */
  #joinedAt: number | undefined;
  #isKnown = true;
  /** Until when other processes may have used what is now the share of this one, on the elapsed scale. */
  #sharesFrom = Number.NEGATIVE_INFINITY;
  #lastAttempt: number | undefined;
  /** The latest report, on the server's clock. */
  #reportedAt: number | undefined;

  /** Whether all processes that are running know this one. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The latest report that this process has received, on the server's clock. */
  get reportedAt(): number | undefined {
    return this.#reportedAt;
  }

  /** Must be called before each heartbeat. A process that was suspended joins again. */
  beforeHeartbeat(now: Instant): void {
    if (this.#wasSuspended(now)) {
      this.#joinedAt = undefined;
      this.#reportedAt = undefined;
      this.#isKnown = false;
    }
    this.#lastAttempt = now.elapsed;
  }

  /**
   * Returns whether a process is new to this one, which should then send another heartbeat, so that it knows.
   * @param now when the heartbeat was sent.
   */
  update(report: GroupReport, now: Instant): boolean {
    const { at, locallyAt, left } = report;
    this.#reportedAt = Math.max(at, this.#reportedAt ?? at);
    const hasNew = this.#add(report, now);
    this.#dropMissing(report, now);
    // Until then, a process that has stopped may have used its share of a minute that has not ended.
    const localUseEndsIn = locallyAt + MINUTE - at;
    if (localUseEndsIn <= 0) for (const id of left) this.#others.delete(id);
    if (this.#joinedAt === undefined) {
      this.#joinedAt = at;
      this.#isKnown = false;
    }
    if (!this.#isKnown && this.#isKnownToAll(this.#joinedAt, report)) {
      this.#isKnown = true;
      // A process that was killed or cut off may have admitted requests that Redis knows nothing of.
      const isComplete = this.#haveReceived(this.#joinedAt);
      this.#sharesFrom = now.elapsed + (isComplete ? localUseEndsIn : MINUTE);
    }
    return hasNew;
  }

  /** The share of each limit that this process applies. */
  share({ perMinute, perDay }: Limits, now: Instant): Limits {
    if (!this.#isKnown || now.elapsed < this.#sharesFrom) return NOTHING;
    if (this.#wasSuspended(now)) return NOTHING;
    const size = this.#others.size + 1;
    const rank = this.#others.keys().reduce((lower, id) => lower + (id < this.id ? 1 : 0), 0);
    const share = (limit: number) => Math.floor(limit / size) + (rank < limit % size ? 1 : 0);
    return { perMinute: share(perMinute), perDay: share(perDay) };
  }

  /** Whether this process stood still for so long that the others may no longer know it. */
  #wasSuspended({ elapsed }: Instant): boolean {
    return this.#lastAttempt !== undefined && elapsed - this.#lastAttempt > RETENTION / 2;
  }

  #add({ at, seen }: GroupReport, { elapsed }: Instant): boolean {
    const before = this.#others.size;
    for (const [id, seenAt] of seen) {
      if (id === this.id) continue;
      this.#others.set(id, { seenAt, lastSeen: elapsed - Math.max(0, at - seenAt) });
    }
    return this.#others.size > before;
  }

  /** Redis may have lost the entry of a process that is running, so a missing one is dropped as late as a silent one. */
  #dropMissing({ at, since }: GroupReport, { elapsed }: Instant): void {
    if (at - since <= RETENTION) return;
    for (const [id, { lastSeen }] of this.#others) {
      if (elapsed - lastSeen > RETENTION) this.#others.delete(id);
    }
  }

  /** Whether every other process has received a report since then, except for those that are no longer running. */
  #isKnownToAll(joinedAt: number, { at, since }: GroupReport): boolean {
    const hasEnded = (seenAt: number) => at - since > ALL_REPORTED && at - seenAt > ALL_REPORTED;
    return this.#others.values().every(({ seenAt }) => seenAt > joinedAt || hasEnded(seenAt));
  }

  #haveReceived(joinedAt: number): boolean {
    return this.#others.values().every(({ seenAt }) => seenAt > joinedAt);
  }
}
