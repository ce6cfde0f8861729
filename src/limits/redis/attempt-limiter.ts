import type { AttemptCounter, AttemptLimiter } from '../../core/limits/attempts.ts';
import { type RateLimitResult, tightestResult } from '../../core/limits/rate-limit.ts';
import type { Instant } from '../../lib/clock.ts';
import type { RedisConnection } from './connection.ts';
import { windowsFrom } from './script-reply.ts';

/**
 * Counts the attempts of all processes together; while Redis is unavailable each process counts its own.
 *
 * In a Cluster the counters may be on different nodes, so no script can count in all of them atomically. All
 * are checked first, then all are counted; if one is exhausted in between, the others are decremented again.
 */
export class RedisAttemptLimiter implements AttemptLimiter {
  readonly #connection: RedisConnection;
  readonly #local: AttemptLimiter;

  /** @param local counts while Redis is unavailable. */
  constructor(connection: RedisConnection, local: AttemptLimiter) {
    this.#connection = connection;
    this.#local = local;
  }

  async take(counters: readonly AttemptCounter[], now: Instant): Promise<RateLimitResult> {
    try {
      return await this.#takeTogether(counters);
    } catch {
      return this.#local.take(counters, now);
    }
  }

  async giveBack(counters: readonly AttemptCounter[]): Promise<void> {
    await this.#local.giveBack(counters);
    const calls = counters.map(({ caller, cost = 1 }) => {
      const key = keyOf(caller);
      return this.#connection.call(key, (client) => client.petstoreGiveBack(key, 0, cost));
    });
    // An attempt that cannot be given back expires with its window.
    await Promise.allSettled(calls);
  }

  async #takeTogether(counters: readonly AttemptCounter[]): Promise<RateLimitResult> {
    const checked = await Promise.all(counters.map((counter) => this.#ask(counter, 0)));
    const decision = tightestResult(checked);
    if (decision.outcome !== 'admitted') return decision;
    const results = await Promise.all(
      counters.map((counter) => this.#ask(counter, counter.cost ?? 1)),
    );
    const result = tightestResult(results);
    if (result.outcome !== 'admitted') {
      await this.giveBack(counters.filter((_, index) => results[index]?.outcome === 'admitted'));
    }
    return result;
  }

  /** @param cost counts this many attempts if there is room for one; 0 only checks. */
  async #ask({ caller, limits }: AttemptCounter, cost: number): Promise<RateLimitResult> {
    const { perMinute, perDay } = limits;
    const key = keyOf(caller);
    const reply = await this.#connection.call(key, (client) =>
      client.petstoreAdmit(key, 0, perMinute, perDay, cost, '', ''),
    );
    return windowsFrom(reply, limits);
  }
}

/** Callers are hashed, because they contain e-mail addresses, which should not be stored in Redis. */
function keyOf(caller: string): string {
  return `petstore:{attempts:${Bun.CryptoHasher.hash('sha256', caller, 'base64url')}}`;
}
