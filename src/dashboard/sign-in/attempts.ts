import type { AttemptCounter, AttemptLimiter } from '../../core/limits/attempts.ts';
import type { Limits } from '../../core/limits/plans.ts';
import type { RateLimitResult } from '../../core/limits/rate-limit.ts';
import { refusalHeaders } from '../../http/reply/reply.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { describeWait } from '../describe-wait.ts';
import { DashboardError } from '../errors.ts';

/** No limit in practice: the greatest integer in a structured header (RFC 9651, 3.3.1). */
const UNLIMITED = 999_999_999_999_999;

/** All attempts of one client address, except sign-ups, which have a separate limit. */
const OF_ADDRESS: Limits = { perMinute: 30, perDay: 300 };

/**
 * Limits on one account: `password` for guesses at its password, `code` for guesses at a code of
 * its second factor, `mail` for requests that send mail to it. `here` applies to each client
 * address and each known browser, `everywhere` to all addresses together.
 *
 * An attacker cannot lock a user out for long: daily limits apply per client address, and the limit
 * shared by all addresses is per minute, so it ends with the attack. A browser that is known for
 * the account has a separate limit, which others cannot exhaust.
 */
const OF_ACCOUNT: Readonly<Record<Purpose, { here: Limits; everywhere?: Limits }>> = {
  password: {
    here: { perMinute: 10, perDay: 100 },
    everywhere: { perMinute: 30, perDay: UNLIMITED },
  },
  code: {
    here: { perMinute: 10, perDay: 100 },
    everywhere: { perMinute: 30, perDay: UNLIMITED },
  },
  mail: {
    here: { perMinute: 5, perDay: 20 },
  },
};

/**
 * Mail of one kind to one mailbox, from all senders, to prevent flooding. Only mail that is sent
 * counts: at the limit the mailbox contains that many links of this kind. Other kinds are
 * unaffected.
 */
const OF_MAILBOX: Limits = { perMinute: 10, perDay: 50 };

type Purpose = 'password' | 'code' | 'mail';

/** An attempt that was admitted. */
export interface Attempt {
  /**
   * Removes the attempt from the account's counters after a correct password. It still counts for
   * the client address.
   */
  giveBack(): Promise<void>;
}

/** Limits attempts by client address and by account, and mail by mailbox. */
export class Attempts {
  readonly #limiter: AttemptLimiter;
  readonly #clock: Clock;
  readonly #signUpLimits: Limits;

  /** @param signUpLimits of one client address. */
  constructor(limiter: AttemptLimiter, clock: Clock, signUpLimits: Limits) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#signUpLimits = signUpLimits;
  }

  /**
   * Counts an attempt in all of its counters, or in none.
   * @param email of the account, which need not exist.
   * @param browser the id of the browser, where it is known for the account.
   * @throws ApiError `too_many_attempts`
   */
  async take(address: string, purpose?: Purpose, email = '', browser?: string): Promise<Attempt> {
    const ofAddress = { caller: `address:${address}`, limits: OF_ADDRESS };
    const ofAccount = purpose ? countersOf(address, purpose, email, browser) : [];
    return this.#takeAll(ofAddress, ofAccount, 'Too many attempts.');
  }

  /**
   * Counts a sign-up for the client address, and for the e-mail address that it names.
   * @throws ApiError `too_many_attempts`
   */
  async takeSignUp(address: string, email: string): Promise<Attempt> {
    const ofAddress = { caller: `sign-up:${address}`, limits: this.#signUpLimits };
    const ofAccount = countersOf(address, 'mail', email, undefined);
    return this.#takeAll(ofAddress, ofAccount, 'Too many sign-ups from your network address.');
  }

  /** Counts a mail before it is sent. `false` if it exceeds the limit. */
  async takeMail(kind: string, email: string): Promise<boolean> {
    const caller = `mailbox:${kind}:${email.toLowerCase()}`;
    const counter = { caller, limits: OF_MAILBOX };
    return (await this.#limiter.take([counter], this.#clock.now())).outcome === 'admitted';
  }

  /** @param refusal the first sentence of the error message when a limit is exceeded. */
  async #takeAll(
    ofAddress: AttemptCounter,
    ofAccount: readonly AttemptCounter[],
    refusal: string,
  ): Promise<Attempt> {
    const now = this.#clock.now();
    const result = await this.#limiter.take([ofAddress, ...ofAccount], now);
    if (result.outcome !== 'admitted') throw tooMany(refusal, result, now);
    return { giveBack: async () => this.#limiter.giveBack(ofAccount) };
  }
}

function countersOf(
  address: string,
  purpose: Purpose,
  email: string,
  browser: string | undefined,
): AttemptCounter[] {
  const account = `${purpose}:${email.toLowerCase()}`;
  const { here, everywhere } = OF_ACCOUNT[purpose];
  if (browser) return [{ caller: `${account} browser:${browser}`, limits: here }];
  const ofClient = { caller: `${account} ${address}`, limits: here };
  return everywhere ? [ofClient, { caller: account, limits: everywhere }] : [ofClient];
}

function tooMany(refusal: string, result: RateLimitResult, now: Instant) {
  return new DashboardError(
    'too_many_attempts',
    `${refusal} Wait ${describeWait(result.resetIn)}, then try again.`,
    { headers: refusalHeaders(result, now) },
  );
}
