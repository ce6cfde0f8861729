import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Environment } from '../../core/environments.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import type { AdjustableLimiter, LimitedAccount } from '../../core/limits/adjustable-limiter.ts';
import { type BanRecord, newBanRecord } from '../../core/limits/ban-records.ts';
import type { BanPolicy } from '../../core/limits/bans.ts';
import type { QuotaCaller } from '../../core/limits/limiter.ts';
import type { UsedRequests } from '../../core/limits/quota.ts';
import { bannedResult, type RateLimitResult } from '../../core/limits/rate-limit.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { chunks } from '../../lib/chunks.ts';
import { type Instant, later } from '../../lib/clock.ts';
import type { MemoryLimiter } from '../memory/limiter.ts';
import type { RedisConnection } from './connection.ts';
import { type HeartbeatReply, reportFrom } from './group-script.ts';
import { LocalLimiter } from './local-limiter.ts';
import { ProcessGroup } from './process-group.ts';
import { windowsFrom } from './script-reply.ts';
import { strikesField } from './scripts.ts';

/** Callers or bans that background jobs send to Redis together. */
const BATCH_SIZE = 200;
/** The maximum number of key chains whose unanswered requests are remembered. */
const UNANSWERED_CAPACITY = 10_000;

interface RedisLimiterOptions {
  readonly environment: Environment;
  readonly policy: BanPolicy;
  readonly connection: Pick<RedisConnection, 'call' | 'isUnavailable'>;
  /** Decides in this process while Redis is unavailable; reports the bans that it starts. */
  readonly local: MemoryLimiter;
  /**
   * Called in the process whose request started a ban in Redis; must not wait. If the reply to that request may
   * have been lost, also in a process that sees the ban later, with a record of the same id.
   */
  readonly onBan: (ban: BanRecord) => void;
  /** Waits until every ban that has started is stored. */
  readonly recordBans?: () => Promise<void>;
}

/**
 * A limiter in Redis, shared by all processes: exact, because a script checks and counts atomically. While
 * Redis is unavailable this process decides locally, with its share of each limit and the bans it knows.
 */
export class RedisLimiter implements AdjustableLimiter {
  readonly #options: RedisLimiterOptions;
  readonly #group = new ProcessGroup();
  readonly #local: LocalLimiter;
  /** Key chains with a request that got no reply from Redis; it may have started a ban. */
  readonly #unanswered = new LRUCache<string, true>({ max: UNANSWERED_CAPACITY });
  readonly #policy: string;

  constructor(options: RedisLimiterOptions) {
    this.#options = options;
    this.#local = new LocalLimiter(options.local, this.#group);
    const { after, base, maximum } = options.policy;
    this.#policy = `${after} ${base} ${maximum}`;
  }

  get environment(): Environment {
    return this.#options.environment;
  }

  take(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult> {
    const { connection } = this.#options;
    if (connection.isUnavailable(this.#keyOf(caller.id))) return this.#local.take(caller, now);
    return this.#decide(caller, now, 1).catch(() => {
      if (caller.key) this.#unanswered.set(caller.key.chainId, true);
      return this.#local.take(caller, now);
    });
  }

  async peek(caller: QuotaCaller, now: Instant): Promise<RateLimitResult> {
    const { connection } = this.#options;
    if (!connection.isUnavailable(this.#keyOf(caller.id))) {
      try {
        return await this.#decide(caller, now, 0);
      } catch {
        // Redis has become unavailable.
      }
    }
    return this.#local.peek(caller, now);
  }

  /** Ends a ban that an operator lifted; rejects while Redis is unavailable. */
  async lift(ban: BanRecord): Promise<void> {
    this.#options.local.lift(ban);
    const { chainId, startsAt, clockOffset = 0 } = ban;
    const key = this.#keyOfAccount(ban.accountId);
    await this.#options.connection.call(key, (client) =>
      client.petstoreLiftBan(key, clockOffset, chainId, startsAt + clockOffset),
    );
  }

  /**
   * Restores stored bans, locally and in Redis, which may have lost them; rejects while Redis is
   * unavailable.
   */
  async restore(bans: readonly BanRecord[], now: Instant): Promise<void> {
    const { connection, local } = this.#options;
    local.restore(bans, now);
    for (const batch of chunks(bans, BATCH_SIZE)) {
      const calls = batch.map((ban) => {
        const { chainId, level, clockOffset = 0 } = ban;
        const length = ban.endsAt - ban.startsAt;
        const startsAt = ban.startsAt + clockOffset;
        const endsAt = ban.endsAt + clockOffset;
        const key = this.#keyOfAccount(ban.accountId);
        return connection.call(key, (client) =>
          client.petstoreRestoreBan(key, clockOffset, chainId, startsAt, length, endsAt, level),
        );
      });
      await Promise.all(calls);
    }
  }

  /** Rejects while Redis is unavailable. */
  async setUsed({ id, clockOffset }: LimitedAccount, { minute, day }: UsedRequests): Promise<void> {
    await this.#change(id, (client, key) =>
      client.petstoreSetUsed(key, clockOffset, minute ?? '', day ?? ''),
    );
  }

  async forgive(account: LimitedAccount, chainId: string): Promise<void> {
    this.#options.local.forgive(account, chainId);
    await this.#change(account.id, (client, key) => client.hdel(key, strikesField(chainId)));
  }

  async forget(account: LimitedAccount): Promise<void> {
    await this.#options.local.forget(account);
    this.#local.drop(`account:${account.id}`);
    await this.#change(account.id, (client, key) => client.del(key));
  }

  /**
   * The windows of client addresses, and of the requests of accounts to the sandbox API (`account:ID:sandbox`), stay in
   * Redis until they expire.
   */
  async reset(accountIds: () => Awaitable<readonly string[]>): Promise<void> {
    this.#options.local.reset();
    this.#local.clear();
    for (const ids of chunks(await accountIds(), BATCH_SIZE)) {
      await Promise.all(ids.map((id) => this.#change(id, (client, key) => client.del(key))));
    }
  }

  async recordBans(): Promise<void> {
    await this.#options.recordBans?.();
  }

  /** Adds the requests that were admitted locally to the counts in Redis, as far as Redis is available. */
  async flushLocalCounts(): Promise<void> {
    const { connection } = this.#options;
    for (let failed = false; !failed; ) {
      const taken = this.#local.counts.take(BATCH_SIZE);
      if (taken.length === 0) return;
      const calls = taken.map(async ([caller, counts]) => {
        const key = this.#keyOf(caller);
        const { clockOffset, minuteEndsAt, minuteUsed, day, dayUsed } = counts;
        try {
          await connection.call(key, (client) =>
            client.petstoreAddCounts(key, clockOffset, minuteEndsAt, minuteUsed, day, dayUsed),
          );
        } catch {
          failed = true;
          this.#local.counts.putBack(caller, counts);
        }
      });
      await Promise.all(calls);
    }
  }

  /**
   * Stores a heartbeat of this process and reads those of the others; rejects while Redis is unavailable.
   * Returns whether all processes that are running know this one.
   */
  async sendHeartbeat(now: Instant): Promise<boolean> {
    this.#group.beforeHeartbeat(now);
    const hasNew = this.#group.update(reportFrom(await this.#heartbeat(now, 0)), now);
    if (hasNew) this.#group.update(reportFrom(await this.#heartbeat(now, 0)), now);
    return this.#group.isKnown;
  }

  /** Leaves the group of processes; rejects while Redis is unavailable. */
  async leaveGroup(now: Instant): Promise<void> {
    await this.#heartbeat(now, 1);
  }

  /** Drops expired state of this process; the state in Redis expires there. */
  pruneExpired(now: Instant): void {
    this.#options.local.pruneExpired(now);
    // The changes are not saved anywhere and would accumulate.
    this.#options.local.unsaved.clear();
  }

  /** Decides in Redis; a cost of 0 counts nothing. */
  async #decide(
    { id, limits, key, clockOffset = 0 }: QuotaCaller,
    now: Instant,
    cost: 0 | 1,
  ): Promise<RateLimitResult> {
    const { perMinute, perDay } = limits;
    const hash = this.#keyOf(id);
    const chainId = key?.chainId ?? '';
    const reply = await this.#options.connection.call(hash, (client) =>
      client.petstoreAdmit(hash, clockOffset, perMinute, perDay, cost, chainId, this.#policy),
    );
    const [, , , , , banEndsIn = 0, level = 0, startsAt = 0, endsAt = 0, isNew = 0] = reply;
    if (key && banEndsIn > 0 && (this.#unanswered.delete(key.chainId) || isNew === 1)) {
      const ban = { level, startsAt: startsAt - clockOffset, endsAt: endsAt - clockOffset };
      this.#reportBan(key, { ...ban, ...(clockOffset > 0 && { clockOffset }) }, now);
    }
    const windows = windowsFrom(reply, limits);
    return banEndsIn > 0 ? bannedResult(windows, banEndsIn) : windows;
  }

  #reportBan(
    key: NonNullable<QuotaCaller['key']>,
    begun: Parameters<typeof newBanRecord>[3],
    now: Instant,
  ): void {
    const { policy, local, onBan } = this.#options;
    const ban = newBanRecord(key, this.environment, policy, begun);
    local.restore([ban], later(now, -(begun.clockOffset ?? 0)));
    onBan(ban);
  }

  #heartbeat(now: Instant, leaves: 0 | 1): Promise<HeartbeatReply> {
    const key = `petstore:{${this.environment}:processes}`;
    const { lastAdmission } = this.#local;
    const locally = lastAdmission === undefined ? '' : Math.max(0, now.elapsed - lastAdmission);
    return this.#options.connection.call(key, (client) =>
      client.petstoreHeartbeat(key, this.#group.id, this.#group.reportedAt ?? '', locally, leaves),
    );
  }

  /** @throws StorageUnavailable while Redis is unavailable. */
  async #change(
    accountId: string,
    send: (client: Redis | Cluster, key: string) => Promise<unknown>,
  ): Promise<void> {
    const key = this.#keyOfAccount(accountId);
    try {
      await this.#options.connection.call(key, (client) => send(client, key));
    } catch (cause) {
      throw new StorageUnavailable(cause);
    }
  }

  #keyOf(caller: string): string {
    return `petstore:{${this.environment}:${caller}}`;
  }

  #keyOfAccount(id: string): string {
    return this.#keyOf(`account:${id}`);
  }
}
