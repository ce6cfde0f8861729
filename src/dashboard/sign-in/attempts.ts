import type { AttemptCounter, AttemptCounts } from '../../core/attempts.ts';
import type { Limits } from '../../core/plans.ts';
import { type Clock, SECOND } from '../../lib/clock.ts';
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

/** An attempt that was admitted. */
export interface Attempt {
  /** It was no guess: the account's counters forget it, the client address's do not. */
  giveBack(): Promise<void>;
}

/** Limits attempts by client address and by account, and letters by mailbox. */
export class Attempts {
  readonly #counts: AttemptCounts;
  readonly #clock: Clock;

  constructor(counts: AttemptCounts, clock: Clock) {
    this.#counts = counts;
    this.#clock = clock;
  }

  /**
   * Counts an attempt; in all of its counters, or in none.
   * @param email the address of the account that is tried; whether it exists plays no part.
   * @throws Refused with 429 when there were too many.
   */
  async take(address: string, purpose?: Purpose, email = ''): Promise<Attempt> {
    const ofAddress = { caller: `address:${address}`, limits: OF_ADDRESS };
    const ofAccount = purpose ? countersOf(address, purpose, email) : [];
    const waitFor = await this.#counts.take([ofAddress, ...ofAccount], this.#clock.now());
    if (waitFor !== undefined) throw tooMany(waitFor);
    return { giveBack: async () => this.#counts.giveBack(ofAccount) };
  }

  /** Counts a letter that is about to be sent. `false` when it is one too many. */
  async takeLetter(kind: string, email: string): Promise<boolean> {
    const caller = `letter:${kind}:${email.toLowerCase()}`;
    const counter = { caller, limits: OF_MAILBOX };
    return (await this.#counts.take([counter], this.#clock.now())) === undefined;
  }
}

function countersOf(address: string, purpose: Purpose, email: string): AttemptCounter[] {
  const account = `${purpose}:${email.toLowerCase()}`;
  const { here, everywhere } = OF_ACCOUNT[purpose];
  const ofClient = { caller: `${account} ${address}`, limits: here };
  return everywhere ? [ofClient, { caller: account, limits: everywhere }] : [ofClient];
}

function tooMany(waitFor: number): Refused {
  const seconds = Math.max(1, Math.ceil(waitFor / SECOND));
  return new Refused('too_many_attempts', 'Too many attempts. Wait, then try again.', {
    headers: { 'Retry-After': String(seconds) },
  });
}
