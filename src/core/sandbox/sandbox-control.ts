import type { Awaitable } from '../../lib/awaitable.ts';
import { type Instant, later, SECOND } from '../../lib/clock.ts';
import type { Actor } from '../accounts/audit.ts';
import { ApiError, messageOf } from '../errors.ts';
import { newId } from '../ids.ts';
import { type AdjustableLimiter, applyLimiterCommand } from '../limits/adjustable-limiter.ts';
import type { BanRecord, BanStore } from '../limits/ban-records.ts';
import type { CurrentWindow, CurrentWindows } from '../limits/current-usage.ts';
import type { BannableKey } from '../limits/limiter.ts';
import type { Limits } from '../limits/plans.ts';
import type { OrderStore } from '../orders/order-store.ts';
import type { OwnedDeletion } from '../pets/pet-changes.ts';
import type { PetStore } from '../pets/pet-store.ts';
import type { Stability } from '../stability.ts';
import { type AccountSimulationStatus, accountSimulationFrom } from './account-simulation.ts';
import { MAX_CLOCK_OFFSET, type Sandbox } from './sandbox.ts';
import type { LimiterCommand, SandboxChange, SandboxStore } from './sandbox-store.ts';
import { normalizeSimulation, type SimulationStore } from './simulations.ts';

/** The maximum number of bans that are read for one account. */
const MOST_BANS = 100;

interface SandboxAccount {
  readonly id: string;
  readonly limits: Limits;
}

/** Who changes the sandbox of which account, and when (on the service's clock). */
export interface SandboxRequest {
  readonly account: SandboxAccount;
  readonly by: Actor;
  readonly now: Instant;
}

/** The requests that should remain in the current windows; omitted windows stay unchanged. */
interface RemainingRequests {
  readonly minuteRemaining?: number;
  readonly dayRemaining?: number;
}

/** A simulation to start. */
interface NewSimulation extends Partial<Pick<AccountSimulationStatus, 'times' | 'method'>> {
  readonly simulate: string;
}

/** One window of an account in staging. */
export interface SandboxWindow {
  readonly limit: number;
  readonly used: number;
  /** Epoch ms, on the account's clock. */
  readonly resetsAt: number;
}

/** The state of an account's sandbox. */
interface SandboxStatus extends Pick<Sandbox, 'clockOffset'> {
  /** The time on the account's clock, epoch ms. */
  readonly now: number;
  readonly minute: SandboxWindow;
  readonly day: SandboxWindow;
  /** Active bans of its keys. Times are epoch ms on the account's clock. */
  readonly bans: readonly BanRecord[];
  /** The active simulation. */
  readonly simulation: AccountSimulationStatus | undefined;
}

interface Dependencies {
  readonly sandboxes: SandboxStore;
  readonly bans: Pick<BanStore, 'ofAccount'>;
  readonly simulations: Pick<SimulationStore, 'counted'>;
  /** The pets of staging. */
  readonly pets: Pick<PetStore, 'forgetRequests' | 'deleteOwned'>;
  /** The orders of staging. */
  readonly orders: Pick<OrderStore, 'forgetRequests' | 'deleteAll'>;
  /** The least stable level that is served. */
  readonly stability: Stability;
  /** The limiter of staging; without it, changes are passed to the process that has it. */
  readonly limiter: AdjustableLimiter | undefined;
  /** The current usage of an account in staging. */
  usage(account: SandboxAccount): Awaitable<CurrentWindows>;
}

/** Shows and changes the sandbox of an account in staging. Every call may raise `StorageUnavailable`. */
export class SandboxControl {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** @param now on the service's clock. */
  async status(account: SandboxAccount, now: Instant): Promise<SandboxStatus> {
    const { sandboxes, bans, limiter, usage } = this.#dependencies;
    await limiter?.recordBans();
    const sandbox = await sandboxes.find(account.id);
    const { clockOffset } = sandbox;
    const { wall } = later(now, clockOffset);
    const { minute, day } = await usage(account);
    const latest = await bans.ofAccount(account.id, now.wall, MOST_BANS);
    const inForce = latest.filter(
      ({ environment, liftedAt }) => environment === 'staging' && liftedAt === undefined,
    );
    return {
      clockOffset,
      now: wall,
      minute: windowOf(minute, clockOffset),
      day: windowOf(day, clockOffset),
      bans: inForce.map((ban) => onClock(ban, clockOffset)),
      simulation: await this.#simulationOf(account.id, sandbox),
    };
  }

  async #simulationOf(
    accountId: string,
    { simulation: stored }: Sandbox,
  ): Promise<AccountSimulationStatus | undefined> {
    if (stored === undefined) return undefined;
    const { counter, ...simulation } = accountSimulationFrom(stored);
    const { times } = simulation;
    if (times === null) return { ...simulation, remaining: null };
    const met = await this.#dependencies.simulations.counted(accountId, counter);
    return met < times ? { ...simulation, remaining: times - met } : undefined;
  }

  /**
   * Moves the account's clock forward.
   * @throws ApiError `invalid_body` if it would be more than ten years ahead.
   */
  async advanceClock(request: SandboxRequest, seconds: number): Promise<void> {
    const { sandboxes } = this.#dependencies;
    const change = changeOf(request);
    if ((await sandboxes.advanceClock(change, seconds * SECOND)) !== null) return;
    const { clockOffset } = await sandboxes.find(change.accountId);
    const left = (MAX_CLOCK_OFFSET - clockOffset) / SECOND;
    throw new ApiError(
      'invalid_body',
      `"advanceSeconds" must be at most ${left}: the clock is at most ten years ahead. Reset it to begin again.`,
    );
  }

  /**
   * Sets how many requests remain in the current windows.
   * @throws ApiError `invalid_body` if the plan allows fewer.
   */
  async setUsage(request: SandboxRequest, remaining: RemainingRequests): Promise<void> {
    const { limits } = request.account;
    const { minuteRemaining, dayRemaining } = remaining;
    if (minuteRemaining === undefined && dayRemaining === undefined) {
      throw new ApiError('invalid_body', 'Send at least one of: minuteRemaining, dayRemaining.');
    }
    const problems = [
      ...problemsOf('minuteRemaining', minuteRemaining, limits.perMinute),
      ...problemsOf('dayRemaining', dayRemaining, limits.perDay),
    ];
    if (problems.length > 0) throw new ApiError('invalid_body', `${problems.join('; ')}.`);
    const used = {
      minute: usedOf(minuteRemaining, limits.perMinute),
      day: usedOf(dayRemaining, limits.perDay),
    };
    const { sandboxes } = this.#dependencies;
    await this.#adjust(request, { kind: 'set_used', used });
    await sandboxes.setUsage(this.#withCommand(request, { kind: 'set_used', used }), used);
  }

  /** Bans a key, and the keys that it is rotated to, for this many seconds from now. */
  async ban(request: SandboxRequest, key: BannableKey, seconds: number): Promise<void> {
    const { sandboxes, limiter } = this.#dependencies;
    const { wall } = request.now;
    await limiter?.recordBans();
    const { clockOffset } = await sandboxes.find(request.account.id);
    const startsAt = Math.floor(wall);
    await sandboxes.ban(changeOf(request), {
      id: newId('ban', startsAt),
      keyId: key.id,
      chainId: key.chainId,
      accountId: key.accountId,
      environment: key.environment,
      reason: 'Set in the sandbox.',
      level: 1,
      startsAt,
      endsAt: startsAt + seconds * SECOND,
      ...(clockOffset > 0 && { clockOffset }),
      liftedAt: undefined,
      liftedBy: undefined,
    });
  }

  /** Ends the ban of a key, and clears its strikes. */
  async liftBan(request: SandboxRequest, { chainId }: Pick<BannableKey, 'chainId'>): Promise<void> {
    const { sandboxes, limiter } = this.#dependencies;
    const command: LimiterCommand = { kind: 'forgive', chainId };
    await limiter?.recordBans();
    await sandboxes.liftBan(this.#withCommand(request, command), chainId);
    await this.#adjust(request, command);
  }

  /**
   * Applies a simulation to the next requests of the account in staging.
   * @throws ApiError `invalid_body` if the simulation is unknown.
   */
  async setSimulation(request: SandboxRequest, wish: NewSimulation): Promise<void> {
    const { simulate, times = null, method = null } = wish;
    const counter = newId('sim', Math.floor(request.now.wall));
    const simulation = {
      simulate: usualSpelling(simulate, this.#dependencies.stability),
      times,
      method,
      counter,
    };
    await this.#dependencies.sandboxes.setSimulation(changeOf(request), simulation);
  }

  async endSimulation(request: SandboxRequest): Promise<void> {
    await this.#dependencies.sandboxes.setSimulation(changeOf(request), undefined);
  }

  /**
   * Resets everything to its state without the sandbox, with unused windows.
   * @param what `animals`: deletes the account's orders in staging, and then its animals, except those with an open
   *   order of another account.
   * @returns what became of the animals, if they were to be deleted.
   */
  async reset(
    request: SandboxRequest,
    { animals = false }: { readonly animals?: boolean } = {},
  ): Promise<OwnedDeletion | undefined> {
    const { sandboxes, limiter, pets, orders } = this.#dependencies;
    const { account, now } = request;
    const command: LimiterCommand = { kind: 'forget' };
    await limiter?.recordBans();
    const { clockOffset } = await sandboxes.find(account.id);
    // Idempotent requests made on a clock that is ahead would be remembered for too long. First, because a reset that is
    // repeated after a failure finds a clock that is ahead only if it was not reset yet.
    if (clockOffset > 0) {
      for (const store of [pets, orders]) await store.forgetRequests(account.id, now.wall);
    }
    await sandboxes.reset(this.#withCommand(request, command), animals);
    await this.#adjust(request, command);
    if (!animals) return undefined;
    // Orders first: each open one keeps its animal.
    await orders.deleteAll(account.id);
    return pets.deleteOwned(account.id);
  }

  /** Applies a limiter command if this process has the limiter. */
  async #adjust({ account, now }: SandboxRequest, command: LimiterCommand): Promise<void> {
    const { limiter, sandboxes } = this.#dependencies;
    if (!limiter) return;
    const { clockOffset } = await sandboxes.find(account.id);
    await applyLimiterCommand(limiter, { id: account.id, clockOffset }, command, now);
  }

  /** The change for the store, with the command if another process has the limiter. */
  #withCommand(request: SandboxRequest, command: LimiterCommand): SandboxChange {
    return { ...changeOf(request), ...(!this.#dependencies.limiter && { command }) };
  }
}

/** @throws ApiError `invalid_body` */
function usualSpelling(simulate: string, stability: Stability): string {
  try {
    return normalizeSimulation(simulate, false, stability);
  } catch (error) {
    throw new ApiError('invalid_body', `"simulate" is invalid. ${messageOf(error)}`, {
      withoutBody: '"simulate" is invalid.',
    });
  }
}

function changeOf({ account, by, now }: SandboxRequest): SandboxChange {
  return { accountId: account.id, by, now: now.wall };
}

function problemsOf(field: string, remaining: number | undefined, limit: number): string[] {
  return (remaining ?? 0) > limit
    ? [`"${field}" must be at most ${limit}, the limit of the plan`]
    : [];
}

function usedOf(remaining: number | undefined, limit: number): number | undefined {
  return remaining === undefined ? undefined : limit - remaining;
}

/** The window with times on the account's clock. */
function windowOf(
  { limit, remaining, resetsAt }: CurrentWindow,
  clockOffset: number,
): SandboxWindow {
  return { limit, used: limit - remaining, resetsAt: resetsAt + clockOffset };
}

/** The ban with times on the account's clock. */
function onClock(ban: BanRecord, clockOffset: number): BanRecord {
  return {
    ...ban,
    startsAt: ban.startsAt + (ban.clockOffset ?? 0),
    endsAt: ban.endsAt + clockOffset,
  };
}
