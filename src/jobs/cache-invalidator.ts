import type { Change, ChangeListener } from '../core/changes.ts';
import type { Environment } from '../core/environments.ts';
import type { BanRecord } from '../core/limits/ban-records.ts';
import type { EnvironmentLimiter } from '../limits/persistence.ts';
import type { JobDependencies } from './dependencies.ts';
import type { LimiterCommands } from './limiter-commands.ts';

interface Dependencies extends Pick<JobDependencies, 'stores' | 'clock'> {
  /** Those for the limiter of staging, if this process has it. */
  readonly limiterCommands: LimiterCommands | undefined;
  /** Drops the recorded requests of an environment that are not in the store yet. */
  readonly forgetRecorded: (environment: Environment) => void;
}

/**
 * Applies the change feed to the caches of this process: API keys with the limits and sandboxes of their accounts,
 * bans, and pages of pets. Changes made by this process are applied before their caller receives the result.
 */
export class CacheInvalidator {
  readonly #limiters: ReadonlyMap<Environment, EnvironmentLimiter>;
  readonly #dependencies: Dependencies;
  #revision: bigint;
  /** The revision of the last reset that was seen to begin, by environment. */
  readonly #begunResets = new Map<Environment, bigint>();
  /** The revision of the last reset that was applied, by environment. */
  readonly #appliedResets = new Map<Environment, bigint>();
  readonly #listeners = new Set<ChangeListener>();

  /** @param revision of the feed, read before anything was cached. */
  constructor(
    revision: bigint,
    limiters: ReadonlyMap<Environment, EnvironmentLimiter>,
    dependencies: Dependencies,
  ) {
    this.#revision = revision;
    this.#limiters = limiters;
    this.#dependencies = dependencies;
    dependencies.stores.changes.afterOwnChanges(async () => {
      try {
        await this.update();
      } catch {
        // No cached key may outlive the change. The background job reads the feed again and reports the failure.
        dependencies.stores.keyCache.forgetAll();
      }
    });
  }

  /** Calls `listener` after changes were applied, until the returned function is called. */
  follow(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Applies the changes since the last call. May raise `StorageUnavailable`. */
  async update(): Promise<void> {
    const seen = this.#revision;
    const { revision, changes } = await this.#dependencies.stores.changes.since(seen);
    if (changes === 'everything') await this.#applyEverything();
    else if (changes.length > 0) await this.#apply(changes, seen);
    // An update that started later may have finished first.
    if (revision > this.#revision) this.#revision = revision;
    if (changes.length > 0) for (const listener of this.#listeners) listener(changes);
  }

  /** @param seen the revision before the first of these changes. */
  async #apply(changes: readonly Change[], seen: bigint): Promise<void> {
    const { keyCache, bans: recorded } = this.#dependencies.stores;
    const sandboxes = idsOf('sandbox', changes);
    const accounts = [...idsOf('account', changes), ...sandboxes];
    const keys = idsOf('key', changes);
    if (keys.length + accounts.length > 0) keyCache.forget({ keys, accounts });
    for (const limiter of this.#limiters.values()) {
      const { environment } = limiter;
      const begun = revisionOf({ kind: 'pets', id: environment }, changes, seen);
      if (begun !== undefined) this.#beginReset(environment, begun);
      const reset = revisionOf({ kind: 'environment', id: environment }, changes, seen);
      if (reset !== undefined) await this.#applyReset(limiter, reset);
    }
    const bans = idsOf('ban', changes);
    if (bans.length > 0) await this.#applyBans(await recorded.findAll(bans));
    this.#dependencies.limiterCommands?.note(sandboxes);
  }

  async #applyEverything(): Promise<void> {
    this.#dependencies.stores.keyCache.forgetAll();
    // An environment may have been reset, so its cached pages are dropped. The limiters stay as they are: if it was not
    // reset, an empty limiter would admit too many requests.
    for (const environment of this.#limiters.keys()) this.#notePetsReset(environment);
    await this.#applyAllBans();
    await this.#dependencies.limiterCommands?.noteAll();
  }

  /**
   * Drops the state of an environment that was reset: once for each reset, because another update may have read the
   * same changes.
   */
  async #applyReset(limiter: EnvironmentLimiter, revision: bigint): Promise<void> {
    const { environment } = limiter;
    const applied = this.#appliedResets.get(environment) ?? 0n;
    if (applied >= revision) return;
    this.#appliedResets.set(environment, revision);
    try {
      await this.#forgetEnvironment(limiter);
    } catch (error) {
      this.#appliedResets.set(environment, applied);
      throw error;
    }
  }

  async #forgetEnvironment(limiter: EnvironmentLimiter): Promise<void> {
    const { stores, clock, forgetRecorded, limiterCommands } = this.#dependencies;
    const { environment } = limiter;
    if (environment === 'staging') limiterCommands?.clear();
    this.#notePetsReset(environment);
    stores.keyCache.forgetAll();
    forgetRecorded(environment);
    await limiter.reset(async () => (await stores.accounts.list()).map(({ id }) => id));
    // Bans that began after the reset, including those that are not stored yet.
    const since = await stores.bans.active(clock.now().wall);
    await this.#applyBans(since.filter((ban) => ban.environment === environment));
  }

  /**
   * What was recorded before a reset must not be saved behind its deletions. Dropped once for each reset, because this
   * update may be repeated after a failure.
   */
  #beginReset(environment: Environment, revision: bigint): void {
    this.#notePetsReset(environment);
    if ((this.#begunResets.get(environment) ?? 0n) >= revision) return;
    this.#begunResets.set(environment, revision);
    this.#dependencies.forgetRecorded(environment);
  }

  #notePetsReset(environment: Environment): void {
    this.#dependencies.stores.environment(environment).pets.invalidatePages();
  }

  async #applyAllBans(): Promise<void> {
    const { stores, clock } = this.#dependencies;
    const { wall } = clock.now();
    await this.#applyBans([
      ...(await stores.bans.lifted(wall)),
      ...(await stores.bans.latest(wall)),
    ]);
  }

  /** Ends lifted bans and applies the others. */
  async #applyBans(bans: readonly BanRecord[]): Promise<void> {
    const now = this.#dependencies.clock.now();
    const lifted = bans.filter(({ liftedAt }) => liftedAt !== undefined);
    const inForce = bans.filter(({ liftedAt }) => liftedAt === undefined);
    const limiterOf = ({ environment }: BanRecord) => this.#limiters.get(environment);
    // A limiter that is unavailable reads the stored bans again when it recovers.
    await Promise.allSettled(lifted.map((ban) => limiterOf(ban)?.lift(ban)));
    await Promise.allSettled(inForce.map((ban) => limiterOf(ban)?.restore([ban], now)));
  }
}

function idsOf(kind: Change['kind'], changes: readonly Change[]): string[] {
  return changes.filter((change) => change.kind === kind).map(({ id }) => id);
}

/** The revision of the last change like this one. @param seen the revision before the first of `changes`. */
function revisionOf(
  { kind, id }: Change,
  changes: readonly Change[],
  seen: bigint,
): bigint | undefined {
  const index = changes.findLastIndex((each) => each.kind === kind && each.id === id);
  return index < 0 ? undefined : seen + BigInt(index + 1);
}
