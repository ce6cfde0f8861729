import { entryPoint } from '../../lib/bundled.ts';
import { SECOND } from '../../lib/clock.ts';
import { DashboardError } from '../errors.ts';
import { type RatingRequest, RatingWorker } from './password-rating-worker.ts';

export interface PasswordToRate extends RatingRequest {
  /** Of the client. Addresses take turns. */
  readonly address: string;
}

/** Maximum duration of a rating, in ms: twice as long as any password took that was tried. */
const RATING_TIMEOUT = 5 * SECOND;

/** Maximum number of waiting passwords, in all and of one client address. */
const MOST_WAITING = 100;
const MOST_OF_ADDRESS = 10;

/** `Retry-After` when too many passwords are waiting, in seconds. */
const RETRY_AFTER = '5';

/**
 * The verdict on a password that takes longer than `RATING_TIMEOUT`. Only passwords of many signs
 * that stand for letters do, of which nobody knows how strong they are.
 */
const TOO_LONG = 'It consists of signs that stand for letters, too many to rate it.';

interface Job extends PasswordToRate {
  settle(verdict: Promise<string | undefined>): void;
}

/**
 * Rates passwords in a thread of its own, one after the other; client addresses take turns, so that
 * nobody waits for all passwords of another one. A thread that takes too long is replaced.
 */
export class PasswordRater {
  readonly #startThread: () => Worker;
  readonly #timeout: number;
  /** The waiting passwords by client address. The first address is next. */
  readonly #waiting = new Map<string, Job[]>();
  #worker: Promise<RatingWorker> | undefined;
  #isWorking = false;

  /** @param timeout of a rating, in ms. */
  constructor(startThread = startRatingThread, timeout = RATING_TIMEOUT) {
    this.#startThread = startThread;
    this.#timeout = timeout;
  }

  /** Starts the thread and loads its word lists, so that no request waits for that. */
  async load(): Promise<void> {
    await this.#ready();
  }

  /**
   * Why a password is easy to guess, as a sentence for its user; `undefined` if it is not.
   * @throws ApiError `too_many_attempts` if too many passwords are waiting.
   */
  async rate(given: PasswordToRate): Promise<string | undefined> {
    const ofAddress = this.#waiting.get(given.address) ?? [];
    const all = [...this.#waiting.values()].reduce((sum, jobs) => sum + jobs.length, 0);
    if (all >= MOST_WAITING || ofAddress.length >= MOST_OF_ADDRESS) throw tooMany();
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting.set(given.address, [...ofAddress, { ...given, settle: resolve }]);
    void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let job = this.#next(); job; job = this.#next()) {
      const verdict = this.#rateNow(job);
      job.settle(verdict);
      await Promise.allSettled([verdict]);
    }
    this.#isWorking = false;
  }

  /** Removes the first password of the address whose turn it is, which then goes to the end. */
  #next(): Job | undefined {
    for (const [address, [job, ...rest]] of this.#waiting) {
      this.#waiting.delete(address);
      if (rest.length > 0) this.#waiting.set(address, rest);
      if (job) return job;
    }
    return undefined;
  }

  async #rateNow(job: Job): Promise<string | undefined> {
    const worker = await this.#ready();
    try {
      const reply = await worker.rate(job, this.#timeout);
      if (reply !== 'timeout') return reply.kind === 'rated' ? reply.reason : undefined;
    } catch (error) {
      this.#replace(worker);
      throw error;
    }
    this.#replace(worker);
    return TOO_LONG;
  }

  #replace(worker: RatingWorker): void {
    worker.terminate();
    this.#worker = undefined;
    // The next password does not have to wait for that. If it fails, the next password tries again.
    void this.#ready().catch(() => {});
  }

  /** The thread once it has loaded its word lists. After a failure the next call starts another. */
  #ready(): Promise<RatingWorker> {
    this.#worker ??= RatingWorker.start(this.#startThread()).catch((error) => {
      this.#worker = undefined;
      throw error;
    });
    return this.#worker;
  }
}

function startRatingThread(): Worker {
  // The thread does not keep the process from ending.
  return new Worker(entryPoint('./password-rating-thread.ts', import.meta.url).href, {
    ref: false,
  });
}

function tooMany() {
  return new DashboardError(
    'too_many_attempts',
    'Too many passwords are being checked. Try again in a few seconds.',
    { headers: { 'Retry-After': RETRY_AFTER } },
  );
}
