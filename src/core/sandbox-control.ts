import type { Awaitable } from '../lib/awaitable.ts';
import { type Instant, later } from '../lib/clock.ts';
import type { BanRecord, BanStore } from './ban-records.ts';
import type { Limits } from './plans.ts';
import type { RateLimitResult, WindowUsage } from './rate-limit.ts';
import type { Sandbox, SandboxStore } from './sandbox.ts';

/** Bans that are read of one account at most. */
const MOST_BANS = 100;

/** The account whose sandbox is meant. */
export interface SandboxAccount {
  readonly id: string;
  readonly limits: Limits;
}

/** One window of an account in staging. */
export interface SandboxWindow {
  readonly limit: number;
  readonly used: number;
  /** Epoch ms, on the account's clock. */
  readonly resetsAt: number;
}

/** Everything that the sandbox has of an account. Times are epoch ms on the account's clock in staging. */
export interface SandboxStatus extends Sandbox {
  readonly now: number;
  readonly minute: SandboxWindow;
  readonly day: SandboxWindow;
  /** Bans of its keys in force. */
  readonly bans: readonly BanRecord[];
}

interface Dependencies {
  readonly sandboxes: SandboxStore;
  readonly bans: Pick<BanStore, 'ofAccount'>;
  /** The current usage of an account in staging. */
  usage(account: SandboxAccount): Awaitable<RateLimitResult>;
}

/** Shows and changes what applies to an account in staging. Every call may raise `StorageUnavailable`. */
export class SandboxControl {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** @param now by the service's clock. */
  async status(account: SandboxAccount, now: Instant): Promise<SandboxStatus> {
    const { sandboxes, bans, usage } = this.#dependencies;
    const sandbox = await sandboxes.find(account.id);
    const { wall } = later(now, sandbox.clockOffset);
    const { minute, day } = await usage(account);
    const banned = await bans.ofAccount(account.id, now.wall, MOST_BANS);
    return {
      ...sandbox,
      now: wall,
      minute: windowOf(minute, wall),
      day: windowOf(day, wall),
      bans: banned.filter(
        ({ environment, liftedAt }) => environment === 'staging' && liftedAt === undefined,
      ),
    };
  }
}

function windowOf({ limit, remaining, resetIn }: WindowUsage, now: number): SandboxWindow {
  return { limit, used: limit - remaining, resetsAt: Math.ceil(now + resetIn) };
}
