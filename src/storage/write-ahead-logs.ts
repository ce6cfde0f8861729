import { type Clock, SECOND } from '../lib/clock.ts';
import type { LogState } from './sqlite/checkpoint.ts';

const MIB = 1024 * 1024;

/** How long checkpoints must have failed, or been prevented, before it is reported, in ms. */
const REPORT_AFTER = 10 * SECOND;
/** The number of failures before they are reported. */
const REPORT_AFTER_TRIES = 3;
/** The size of a log from which a checkpoint that is prevented is a warning, and from which it is a problem. */
const WARN_ABOVE = 16 * MIB;
const PROBLEM_ABOVE = 512 * MIB;

interface ObservedLog extends LogState {
  /** When a checkpoint first was due that has not succeeded since, in ms; `undefined` while none is. */
  readonly behindSince: number | undefined;
  /** The number of failures since the last success. */
  readonly failures: number;
}

/** A log as the metrics show it. */
interface MeasuredLog {
  /** The name of the database file. */
  readonly store: string;
  readonly bytes: number;
  readonly isFailing: boolean;
  /** Seconds since a checkpoint is due; 0 while none is. */
  readonly age: number;
}

/** The write-ahead logs of a data folder, and whether their checkpoints succeed. */
export class WriteAheadLogs {
  readonly #clock: Clock;
  readonly #logs = new Map<string, ObservedLog>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observed(store: string, state: LogState): void {
    const former = this.#logs.get(store);
    const behindSince = state.isBehind ? (former?.behindSince ?? this.#now()) : undefined;
    const failures = state.failure === undefined ? 0 : (former?.failures ?? 0) + 1;
    this.#logs.set(store, { ...state, behindSince, failures });
  }

  all(): MeasuredLog[] {
    return Array.from(this.#logs, ([store, { bytes, failure, behindSince }]) => ({
      store,
      bytes,
      isFailing: failure !== undefined,
      age: this.#waited(behindSince) / SECOND,
    }));
  }

  /** The logs whose checkpoints fail, or that have grown too long, as sentences for operators. */
  problem(): string | undefined {
    return this.#describe(({ failures, failure, bytes }) =>
      failure === undefined ? bytes > PROBLEM_ABOVE : failures >= REPORT_AFTER_TRIES,
    );
  }

  /** The logs that grow because their checkpoints are prevented, as sentences for operators. */
  warning(): string | undefined {
    return this.#describe(
      ({ failure, bytes }) => failure === undefined && bytes > WARN_ABOVE && bytes <= PROBLEM_ABOVE,
    );
  }

  #describe(isMeant: (log: ObservedLog) => boolean): string | undefined {
    const meant = [...this.#logs].filter(
      ([, log]) => this.#waited(log.behindSince) >= REPORT_AFTER && isMeant(log),
    );
    if (meant.length === 0) return undefined;
    return meant.map(([store, log]) => this.#sentence(store, log)).join('\n');
  }

  #sentence(store: string, { bytes, failure, behindSince }: ObservedLog): string {
    const grown = `its write-ahead log has ${(bytes / MIB).toFixed(1)} MiB`;
    const waited = `${(this.#waited(behindSince) / SECOND).toFixed(0)} s`;
    return failure === undefined
      ? `${store} has had no checkpoint for ${waited}, because another program is reading it, and ${grown}. End that program (fuser or lsof on the file names it).`
      : `Checkpoints of ${store} have failed for ${waited}, and ${grown}: ${failure}`;
  }

  #waited(since: number | undefined): number {
    return since === undefined ? 0 : this.#now() - since;
  }

  #now(): number {
    return this.#clock.now().elapsed;
  }
}
