import { type Clock, type Instant, MINUTE } from './clock.ts';

/** How often a job that keeps failing is reported, in ms. */
const REPORT_EVERY = MINUTE;

type Run = () => Promise<void> | void;

/** A background job, as a scheduler runs it. */
export interface Job {
  readonly name: string;
  /** Time between the end of one run and the start of the next, in ms. */
  readonly interval: number;
  /** Runs the job once; never rejects. */
  run(): Promise<void>;
}

/** Decides when background jobs run. */
export interface Scheduler {
  /**
   * Runs a job repeatedly, never twice at the same time, until the returned function is called, which
   * resolves once no run is in progress.
   */
  repeat(job: Job): () => Promise<void>;
}

/** Runs each job when its interval has passed. */
export const timerScheduler: Scheduler = {
  repeat(job) {
    let timer: ReturnType<typeof setTimeout>;
    let running: Promise<void> | undefined;
    let stopped = false;
    const run = async () => {
      await job.run();
      if (!stopped) schedule();
    };
    const schedule = () => {
      timer = setTimeout(() => {
        running = run();
      }, job.interval);
    };
    schedule();
    return async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    };
  },
};

/** Receives the failures of background jobs. */
export interface JobReport {
  /** Called for the first of consecutive failures, then once a minute. */
  failed(job: string, error: unknown): void;
  /** Called when a job succeeds after a failure. */
  recovered(job: string): void;
}

/** The background jobs of a service. A failed run is reported; the next run tries again. */
export class BackgroundJobs implements AsyncDisposable {
  readonly #scheduler: Scheduler;
  readonly #clock: Clock;
  readonly #report: JobReport;
  readonly #ends: (() => Promise<void>)[] = [];
  readonly #lastRuns: Job[] = [];

  constructor(scheduler: Scheduler, clock: Clock, report: JobReport) {
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#report = report;
  }

  /** @param interval ms between the end of one run and the start of the next. */
  every(interval: number, name: string, run: Run): void {
    this.#add({ name, interval, run: this.#reported(name, run) });
  }

  /** Like `every`, with a last run when the service stops, for data that is only in memory. */
  everyAndAtStop(interval: number, name: string, run: Run): void {
    this.#lastRuns.push(this.#add({ name, interval, run: this.#reported(name, run) }));
  }

  /** Waits for the runs in progress, then performs the last runs in the order in which the jobs were added. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#ends.map((end) => end()));
    for (const job of this.#lastRuns) await job.run();
  }

  #add(job: Job): Job {
    this.#ends.push(this.#scheduler.repeat(job));
    return job;
  }

  /** Reports failures of a job instead of rejecting. */
  #reported(name: string, run: Run): () => Promise<void> {
    let reportedAt: Instant | undefined;
    return async () => {
      try {
        await run();
        if (reportedAt) this.#report.recovered(name);
        reportedAt = undefined;
      } catch (error) {
        const now = this.#clock.now();
        if (reportedAt && now.elapsed - reportedAt.elapsed < REPORT_EVERY) return;
        reportedAt = now;
        this.#report.failed(name, error);
      }
    };
  }
}
