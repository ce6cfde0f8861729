import type { AttemptCounter, AttemptCounts } from '../../core/attempts.ts';
import type { Instant } from '../../lib/clock.ts';
import type { RedisConnection } from './connection.ts';
import { windowsFrom } from './script-reply.ts';

/**
 * Counts the attempts of all processes together. While Redis is away each process counts its own.
 *
 * Counters lie on servers of their own in a Cluster, so no step can count in all of them at once. Each is
 * looked at first, then counted; one that ran out in between refuses, and the others get theirs back.
 */
export class RedisAttemptCounts implements AttemptCounts {
  readonly #connection: RedisConnection;
  readonly #local: AttemptCounts;

  /** @param local counts while Redis is away. */
  constructor(connection: RedisConnection, local: AttemptCounts) {
    this.#connection = connection;
    this.#local = local;
  }

  async take(counters: readonly AttemptCounter[], now: Instant): Promise<number | undefined> {
    try {
      return await this.#takeTogether(counters);
    } catch {
      return this.#local.take(counters, now);
    }
  }

  async giveBack(counters: readonly AttemptCounter[]): Promise<void> {
    await this.#local.giveBack(counters);
    const told = counters.map(({ caller }) => {
      const key = keyOf(caller);
      return this.#connection.call(key, (client) => client.petstoreGiveBack(key));
    });
    // Away: what is not given back ends with its window.
    await Promise.allSettled(told);
  }

  async #takeTogether(counters: readonly AttemptCounter[]): Promise<number | undefined> {
    const looked = await Promise.all(counters.map((counter) => this.#ask(counter, 0)));
    const full = looked.find((wait) => wait !== undefined);
    if (full !== undefined) return full;
    const waits = await Promise.all(counters.map((counter) => this.#ask(counter, 1)));
    const refused = waits.find((wait) => wait !== undefined);
    if (refused !== undefined) {
      await this.giveBack(counters.filter((_, index) => waits[index] === undefined));
    }
    return refused;
  }

  /** Counts 1 attempt, or 0 to only look; how long to wait, in ms, where there is no room. */
  async #ask({ caller, limits }: AttemptCounter, cost: 0 | 1): Promise<number | undefined> {
    const { perMinute, perDay } = limits;
    const key = keyOf(caller);
    const reply = await this.#connection.call(key, (client) =>
      client.petstoreAdmit(key, perMinute, perDay, cost, '', ''),
    );
    const { outcome, resetIn } = windowsFrom(reply, limits);
    return outcome === 'admitted' ? undefined : resetIn;
  }
}

/** E-mail addresses are nobody's business there. */
function keyOf(caller: string): string {
  return `petstore:{attempts:${Bun.CryptoHasher.hash('sha256', caller, 'base64url')}}`;
}
