import { BoundedMap } from '../../core/bounded-map.ts';
import { type Clock, SECOND } from '../../core/clock.ts';
import type { Limits } from '../../core/plans.ts';
import { decideQuota, governingWindow, type QuotaState } from '../../core/quota.ts';
import { Refused } from '../refused.ts';

const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** All attempts of one client address, whatever it tries. */
const OF_ADDRESS: Limits = { perMinute: 30, perDay: 300 };

/**
 * What an account's address is tried for: `password` guesses its password, `mail` asks for mail to
 * it. `here` is what one client address has, `everywhere` all of them together.
 *
 * Nobody can lock a person out for long: the numbers that hold for a day are of a client address, and
 * what all of them share for guessing is a minute's, which ends with the attack.
 */
const OF_ACCOUNT: Readonly<Record<Purpose, { here: Limits; everywhere?: Limits }>> = {
  password: {
    here: { perMinute: 10, perDay: 100 },
    everywhere: { perMinute: 30, perDay: UNBOUNDED },
  },
  mail: {
    here: { perMinute: 5, perDay: 20 },
  },
};

/**
 * Letters of one kind to one mailbox, whoever asks for them, so that none is flooded. Only letters
 * that are sent count: who meets the limit has as many links of that kind in the mailbox, and the
 * other kinds are not touched.
 */
const OF_MAILBOX: Limits = { perMinute: 10, perDay: 50 };

export type Purpose = 'password' | 'mail';

/** Callers remembered at the same time; past it the one that was quiet the longest is forgotten. */
const MOST_CALLERS = 100_000;

type Counter = readonly [caller: string, limits: Limits];

/** An attempt that was admitted. */
export interface Attempt {
  /** It was no guess: the account's counters forget it, the client address's do not. */
  giveBack(): void;
}

/** Counts attempts by client address and by account, and letters by mailbox, in memory. */
export class Attempts {
  readonly #clock: Clock;
  /** By caller, the one that was quiet the longest first. */
  readonly #states = new BoundedMap<string, QuotaState>(MOST_CALLERS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts an attempt; in all of its counters, or in none.
   * @param email the address of the account that is tried; whether it exists plays no part.
   * @throws Refused with 429 when there were too many.
   */
  take(address: string, purpose?: Purpose, email = ''): Attempt {
    const ofAddress: Counter = [`address:${address}`, OF_ADDRESS];
    const ofAccount = purpose ? countersOf(address, purpose, email) : [];
    const waitFor = this.#count([ofAddress, ...ofAccount]);
    if (waitFor !== undefined) throw tooMany(waitFor);
    return { giveBack: () => this.#giveBack(ofAccount) };
  }

  /** Counts a letter that is about to be sent. `false` when it is one too many. */
  takeLetter(kind: string, email: string): boolean {
    return this.#count([[`letter:${kind}:${email.toLowerCase()}`, OF_MAILBOX]]) === undefined;
  }

  /** Counts in all of them, or in none and tells how long to wait, in ms. */
  #count(counters: readonly Counter[]): number | undefined {
    const now = this.#clock.now();
    for (const [caller, limits] of counters) {
      const decision = decideQuota(this.#states.get(caller), limits, now, 0);
      if (!decision.admitted) return governingWindow(decision).resetIn;
    }
    for (const [caller, limits] of counters) {
      const { state } = decideQuota(this.#states.get(caller), limits, now, 1);
      if (state) this.#keep(caller, state);
    }
    return undefined;
  }

  #giveBack(counters: readonly Counter[]): void {
    for (const [caller] of counters) {
      const state = this.#states.get(caller);
      if (!state) continue;
      const { minuteUsed, dayUsed } = state;
      this.#states.set(caller, {
        ...state,
        minuteUsed: Math.max(0, minuteUsed - 1),
        dayUsed: Math.max(0, dayUsed - 1),
      });
    }
  }

  #keep(caller: string, state: QuotaState): void {
    this.#states.delete(caller);
    this.#states.put(caller, state);
  }
}

function countersOf(address: string, purpose: Purpose, email: string): Counter[] {
  const account = `${purpose}:${email.toLowerCase()}`;
  const { here, everywhere } = OF_ACCOUNT[purpose];
  const ofClient: Counter = [`${account} ${address}`, here];
  return everywhere ? [ofClient, [account, everywhere]] : [ofClient];
}

function tooMany(waitFor: number): Refused {
  const seconds = Math.max(1, Math.ceil(waitFor / SECOND));
  return new Refused('too_many_attempts', 'Too many attempts. Wait, then try again.', {
    headers: { 'Retry-After': String(seconds) },
  });
}
