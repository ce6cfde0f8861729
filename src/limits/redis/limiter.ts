import type { BanRecord } from '../../core/ban-records.ts';
import { newBanRecord } from '../../core/ban-records.ts';
import type { BanPolicy } from '../../core/bans.ts';
import type { Environment } from '../../core/environments.ts';
import type { Limiter, QuotaCaller } from '../../core/limiter.ts';
import type { Limits } from '../../core/plans.ts';
import { bannedResult, describedWindow, type RateLimitResult } from '../../core/rate-limit.ts';
import { type Awaitable, then } from '../../lib/awaitable.ts';
import { type Instant, SECOND } from '../../lib/clock.ts';
import type { RedisConnection } from './connection.ts';
import { Processes } from './processes.ts';
import { windowsFrom } from './script-reply.ts';
import { Unsettled } from './unsettled.ts';

/** How long a process counts after it was last heard of, in ms. */
const LATELY = 5 * SECOND;
/** Callers, or bans, that are told to Redis at once beside requests. */
const AT_ONCE = 200;

/** Decides in this process alone, while Redis is away. */
export interface LocalLimiter extends Limiter {
  lift(ban: BanRecord): void;
  restore(bans: Iterable<BanRecord>, now: Instant): void;
  pruneExpired(now: Instant): void;
  /** Everything would be kept for this call if it never came. */
  takeUnsaved(now: Instant): unknown;
}

export interface RedisLimiterOptions {
  readonly environment: Environment;
  readonly policy: BanPolicy;
  readonly connection: RedisConnection;
  /** Bans that it begins are announced by itself. */
  readonly local: LocalLimiter;
  /** Hears once, in one process, of every ban that Redis begins; must not wait. */
  readonly onBan: (ban: BanRecord) => void;
}

/**
 * Decides in Redis, for all processes together: exact, because a script looks and counts in one step.
 * While Redis is away this process goes on alone, with its share of each limit and the bans it knows.
 */
export class RedisLimiter implements Limiter {
  readonly #options: RedisLimiterOptions;
  readonly #processes = new Processes();
  readonly #unsettled = new Unsettled();
  readonly #policy: string;

  constructor(options: RedisLimiterOptions) {
    this.#options = options;
    const { after, base, maximum } = options.policy;
    this.#policy = `${after} ${base} ${maximum}`;
  }

  get environment(): Environment {
    return this.#options.environment;
  }

  /** How many processes count these requests, as far as is known. */
  get processes(): number {
    return this.#processes.count;
  }

  take(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult> {
    const { connection } = this.#options;
    if (connection.isUnavailable(this.#keyOf(caller.id))) return this.#takeAlone(caller, now);
    return this.#ask(caller, now, 1).catch(() => this.#takeAlone(caller, now));
  }

  peek(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult> {
    const { connection, local } = this.#options;
    const peekAlone = () =>
      then(local.peek(this.#withShare(caller), now), (result) =>
        this.#asOfAll(result, caller.limits),
      );
    if (connection.isUnavailable(this.#keyOf(caller.id))) return peekAlone();
    return this.#ask(caller, now, 0).catch(peekAlone);
  }

  /** Ends a ban that an operator lifted; rejects when Redis cannot be told now. */
  async lift(ban: BanRecord): Promise<void> {
    this.#options.local.lift(ban);
    const key = this.#keyOfAccount(ban.accountId);
    await this.#options.connection.call(key, (client) =>
      client.petstoreLiftBan(key, ban.keyId, ban.startsAt),
    );
  }

  /**
   * Puts bans on record into force, here and in Redis, where it may have lost them; rejects when Redis
   * cannot be told now.
   */
  async restore(bans: readonly BanRecord[], now: Instant): Promise<void> {
    const { connection, local } = this.#options;
    local.restore(bans, now);
    for (let first = 0; first < bans.length; first += AT_ONCE) {
      const told = bans.slice(first, first + AT_ONCE).map((ban) => {
        const { keyId, startsAt, endsAt, level } = ban;
        const key = this.#keyOfAccount(ban.accountId);
        return connection.call(key, (client) =>
          client.petstoreRestoreBan(key, keyId, startsAt, endsAt - startsAt, endsAt, level),
        );
      });
      await Promise.all(told);
    }
  }

  /** Adds what was admitted without Redis to its counts, as far as it can be told now. */
  async settle(): Promise<void> {
    const { connection } = this.#options;
    for (let failed = false; !failed; ) {
      const taken = this.#unsettled.take(AT_ONCE);
      if (taken.length === 0) return;
      const told = taken.map(async ([caller, counts]) => {
        const key = this.#keyOf(caller);
        const { minuteEndsAt, minuteUsed, day, dayUsed } = counts;
        try {
          await connection.call(key, (client) =>
            client.petstoreSettle(key, minuteEndsAt, minuteUsed, day, dayUsed),
          );
        } catch {
          failed = true;
          this.#unsettled.putBack(caller, counts);
        }
      });
      await Promise.all(told);
    }
  }

  /** Tells the other processes of this one, and learns of them; rejects when Redis is away. */
  async beat(): Promise<void> {
    const key = `petstore:{${this.environment}:processes}`;
    const ids = await this.#options.connection.call(key, (client) =>
      client.petstoreBeat(key, this.#processes.id, LATELY),
    );
    this.#processes.note(ids);
  }

  /** Is counted among the processes no more; rejects when Redis is away. */
  async leave(): Promise<void> {
    const key = `petstore:{${this.environment}:processes}`;
    await this.#options.connection.call(key, (client) => client.zrem(key, this.#processes.id));
  }

  /** Drops expired state of this process; Redis expires its own. */
  pruneExpired(now: Instant): void {
    this.#options.local.pruneExpired(now);
    this.#options.local.takeUnsaved(now);
  }

  async #ask(
    { id, limits, key }: QuotaCaller,
    now: Instant,
    cost: 0 | 1,
  ): Promise<RateLimitResult> {
    const { perMinute, perDay } = limits;
    const hash = this.#keyOf(id);
    const keyId = key?.id ?? '';
    const reply = await this.#options.connection.call(hash, (client) =>
      client.petstoreAdmit(hash, perMinute, perDay, cost, keyId, this.#policy),
    );
    const [, , , , , banEndsIn = 0, level = 0, startsAt = 0] = reply;
    if (key && level > 0) this.#announce(key, level, startsAt, startsAt + banEndsIn, now);
    const windows = windowsFrom(reply, limits);
    return banEndsIn > 0 ? bannedResult(windows, banEndsIn) : windows;
  }

  #announce(
    key: NonNullable<QuotaCaller['key']>,
    level: number,
    startsAt: number,
    endsAt: number,
    now: Instant,
  ): void {
    const { policy, local, onBan } = this.#options;
    const ban = newBanRecord(key, this.environment, policy, { level, startsAt, endsAt });
    local.restore([ban], now);
    onBan(ban);
  }

  #takeAlone(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult> {
    return then(this.#options.local.take(this.#withShare(caller), now), (result) => {
      if (result.outcome === 'admitted') this.#unsettled.add(caller.id, result, now);
      return this.#asOfAll(result, caller.limits);
    });
  }

  #withShare(caller: QuotaCaller): QuotaCaller {
    return { ...caller, limits: this.#processes.share(caller.limits) };
  }

  /** Callers read their own limits, whatever part of them this process may give. */
  #asOfAll(result: RateLimitResult, limits: Limits): RateLimitResult {
    const { outcome, minute, day } = result;
    const described = describedWindow(outcome === 'admitted', minute, day);
    return {
      ...result,
      limit: described === minute ? limits.perMinute : limits.perDay,
      minute: { ...minute, limit: limits.perMinute },
      day: { ...day, limit: limits.perDay },
    };
  }

  #keyOf(caller: string): string {
    return `petstore:{${this.environment}:${caller}}`;
  }

  #keyOfAccount(id: string): string {
    return this.#keyOf(`account:${id}`);
  }
}
