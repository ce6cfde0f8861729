import type { Awaitable } from '../lib/awaitable.ts';
import type { AccountSimulation } from './account-simulation.ts';
import type { Actor } from './audit.ts';
import type { BanRecord } from './ban-records.ts';
import type { UsedRequests } from './quota.ts';
import type { Sandbox } from './sandbox.ts';

/** A change of what the limiter of staging has of an account, for the process that has the limiter. */
export type LimiterOrder =
  | { readonly kind: 'set_used'; readonly used: UsedRequests }
  | { readonly kind: 'forgive'; readonly chainId: string }
  | { readonly kind: 'forget' };

/** Who changes a sandbox, and when (epoch ms). */
export interface SandboxChange {
  readonly accountId: string;
  readonly by: Actor;
  readonly now: number;
  /** Left to the process that has the limiter; none where this process has it. */
  readonly order?: LimiterOrder | undefined;
}

/**
 * What accounts have set in the sandbox. Every change is on the audit log and in the change feed, in one
 * transaction. Every call may raise `StorageUnavailable`.
 */
export interface SandboxStore {
  find(accountId: string): Awaitable<Sandbox>;
  /** Moves the clock forward by `by` ms. `null` where it would be more than `MAX_CLOCK_OFFSET` ahead. */
  advanceClock(change: SandboxChange, by: number): Promise<number | null>;
  /** Notes that the used requests were set. */
  setUsage(change: SandboxChange, used: UsedRequests): Promise<void>;
  /** Bans a chain of keys, in place of its ban in force. */
  ban(change: SandboxChange, ban: BanRecord): Promise<void>;
  /** Lifts the ban of a chain of keys. */
  liftBan(change: SandboxChange, chainId: string): Promise<void>;
  /** Lets the next requests meet a simulation, in place of another one; none to end it. */
  setSimulation(change: SandboxChange, simulation: AccountSimulation | undefined): Promise<void>;
  /** Puts the clock back, and ends the simulation and all bans. @returns what was set before. */
  reset(change: SandboxChange): Promise<Sandbox>;
  /** Takes the orders for the limiter: each is given once, the oldest first. */
  takeOrders(accountId: string): Promise<readonly LimiterOrder[]>;
  /** The accounts that have orders. */
  ordering(): Awaitable<readonly string[]>;
}
