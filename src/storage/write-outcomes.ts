import { type Clock, SECOND } from '../lib/clock.ts';

/** A write that takes longer than this, in ms, counts as failed: no write waits for a lock for so long. */
const STUCK_AFTER = 10 * SECOND;

/** Whether writes to one store succeed. */
interface WriteOutcome {
  /** A database file, or PostgreSQL. */
  readonly store: string;
  /** Why the last write failed; `undefined` when it succeeded. */
  readonly failure: string | undefined;
  /** Seconds since the outcome of the last write; `undefined` before the first one. */
  readonly age: number | undefined;
}

interface State {
  /** When the write in progress began, in ms; `undefined` for stores that limit the time themselves. */
  begunAt?: number | undefined;
  endedAt?: number;
  failure?: string | undefined;
}

/** The outcome and the age of the last write to each store. */
export class WriteOutcomes {
  readonly #clock: Clock;
  readonly #states = new Map<string, State>();

  /** @param clock measures the ages. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that a write was sent; only one at a time may be in progress. */
  begun(store: string): void {
    this.#state(store).begunAt = this.#now();
  }

  succeeded(store: string): void {
    this.#ended(store, undefined);
  }

  /** @param failure the reason, for operators. */
  failed(store: string, failure: string): void {
    this.#ended(store, failure);
  }

  /** Whether the last write to the store failed. */
  hasFailed(store: string): boolean {
    return this.#states.get(store)?.failure !== undefined;
  }

  /** The outcomes of all stores that were written to. */
  all(): WriteOutcome[] {
    const now = this.#now();
    return Array.from(this.#states, ([store, { begunAt, endedAt, failure }]) => {
      const waited = begunAt === undefined ? 0 : now - begunAt;
      const stuck = `no result for ${seconds(waited)} s`;
      return {
        store,
        failure: waited > STUCK_AFTER ? stuck : failure,
        age: endedAt === undefined ? undefined : (now - endedAt) / SECOND,
      };
    });
  }

  /** The stores that cannot be written to, and why; `undefined` when all can be. */
  problem(): string | undefined {
    const failing = this.all().filter(({ failure }) => failure !== undefined);
    if (failing.length === 0) return undefined;
    return failing
      .map(({ store, failure, age }) => {
        const ago =
          age === undefined ? 'no result yet' : `last result ${seconds(age * SECOND)} s ago`;
        return `${store} cannot be written (${ago}): ${failure}`;
      })
      .join('\n');
  }

  #ended(store: string, failure: string | undefined): void {
    const state = this.#state(store);
    state.begunAt = undefined;
    state.endedAt = this.#now();
    state.failure = failure;
  }

  #state(store: string): State {
    const state = this.#states.get(store) ?? {};
    this.#states.set(store, state);
    return state;
  }

  #now(): number {
    return this.#clock.now().elapsed;
  }
}

function seconds(milliseconds: number): string {
  return (milliseconds / SECOND).toFixed(1);
}
