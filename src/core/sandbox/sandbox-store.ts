import type { Awaitable } from '../../lib/awaitable.ts';
import type { Actor } from '../accounts/audit.ts';
import type { BanRecord } from '../limits/ban-records.ts';
import type { UsedRequests } from '../limits/quota.ts';
import type { AccountSimulation } from './account-simulation.ts';
import type { Sandbox } from './sandbox.ts';

/** A change to the state of an account in the limiter of staging, for the process that has the limiter. */
export type LimiterCommand =
  | { readonly kind: 'set_used'; readonly used: UsedRequests }
  | { readonly kind: 'forgive'; readonly chainId: string }
  | { readonly kind: 'forget' };

/** Who changes a sandbox, and when (epoch ms). */
export interface SandboxChange {
  readonly accountId: string;
  readonly by: Actor;
  readonly now: number;
  /** For the process that has the limiter; none if this process has it. */
  readonly command?: LimiterCommand | undefined;
}

/**
 * The sandbox settings of accounts. Every change writes an audit entry and an entry of the change feed in the
 * same transaction. Every call may raise `StorageUnavailable`.
 */
export interface SandboxStore {
  find(accountId: string): Awaitable<Sandbox>;
  /** Moves the clock forward by `by` ms. `null` if it would be more than `MAX_CLOCK_OFFSET` ahead. */
  advanceClock(change: SandboxChange, by: number): Promise<number | null>;
  /** Records that the used requests were set. */
  setUsage(change: SandboxChange, used: UsedRequests): Promise<void>;
  /** Bans a key chain, replacing its active ban. */
  ban(change: SandboxChange, ban: BanRecord): Promise<void>;
  /** Lifts the ban of a key chain. */
  liftBan(change: SandboxChange, chainId: string): Promise<void>;
  /** Applies a simulation to the next requests, replacing any other; `undefined` ends it. */
  setSimulation(change: SandboxChange, simulation: AccountSimulation | undefined): Promise<void>;
  /**
   * Resets the clock, and ends the simulation and all bans.
   * @param hasAnimals whether orders and animals are deleted afterwards, for the audit log.
   */
  reset(change: SandboxChange, hasAnimals: boolean): Promise<void>;
  /** Takes the pending limiter commands, oldest first; each is returned once. */
  takeLimiterCommands(accountId: string): Promise<readonly LimiterCommand[]>;
  /** The accounts with pending limiter commands. */
  accountsWithLimiterCommands(): Awaitable<readonly string[]>;
}
