import type { KeyCache } from '../core/api-keys.ts';
import type { BanRecord, BanStore } from '../core/ban-records.ts';
import type { Change, ChangeFeed } from '../core/changes.ts';
import type { Environment } from '../core/environments.ts';
import type { Clock } from '../lib/clock.ts';
import type { EnvironmentLimiter } from '../limits/persistence.ts';

interface Dependencies {
  readonly stores: {
    readonly changes: ChangeFeed;
    readonly keyCache: KeyCache;
    readonly bans: Pick<BanStore, 'lifted'>;
  };
  readonly clock: Clock;
}

/**
 * Applies the change feed to what this process caches: API keys, with the limits of their accounts,
 * and bans. Its own changes are applied before they are reported to whoever made them.
 */
export class AppliedChanges {
  readonly #limiters: ReadonlyMap<Environment, EnvironmentLimiter>;
  readonly #dependencies: Dependencies;
  #revision: bigint;

  /** @param revision of the feed before anything was cached. */
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
        // Nothing cached may outlive the change. The background job reads the feed again and reports the failure.
        dependencies.stores.keyCache.forgetAll();
      }
    });
  }

  /** Applies the changes since the last call. May raise `StorageUnavailable`. */
  async update(): Promise<void> {
    const { changes: feed, keyCache } = this.#dependencies.stores;
    const { revision, changes } = await feed.since(this.#revision);
    if (changes === 'everything') {
      keyCache.forgetAll();
      await this.#applyLifted(() => true);
    } else if (changes.length > 0) {
      keyCache.forget({ keys: idsOf('key', changes), accounts: idsOf('account', changes) });
      const bans = new Set(idsOf('ban', changes));
      if (bans.size > 0) await this.#applyLifted(({ id }) => bans.has(id));
    }
    // An update that began later may have finished before.
    if (revision > this.#revision) this.#revision = revision;
  }

  async #applyLifted(isChanged: (ban: BanRecord) => boolean): Promise<void> {
    const { stores, clock } = this.#dependencies;
    const lifted = (await stores.bans.lifted(clock.now().wall)).filter(isChanged);
    // A limiter that is unavailable reads lifted bans again once it recovers.
    const lift = (ban: BanRecord) => this.#limiters.get(ban.environment)?.lift(ban);
    await Promise.allSettled(lifted.map(lift));
  }
}

function idsOf(kind: Change['kind'], changes: readonly Change[]): string[] {
  return changes.filter((change) => change.kind === kind).map(({ id }) => id);
}
