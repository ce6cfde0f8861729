import { type Clock, type Instant, MINUTE } from './clock.ts';

/** How often a job that goes on failing is spoken of, in ms. */
const REPEAT_AFTER = MINUTE;

/** Hears how the jobs fare. */
export interface UpkeepReport {
  /** Of a job that goes on failing only the first failure is told, then one a minute. */
  failed(job: string, error: unknown): void;
  recovered(job: string): void;
}

interface Job {
  readonly name: string;
  readonly work: () => Promise<void> | void;
  readonly pause: number;
  readonly isSaver: boolean;
  /** When it was last told that the job fails; none while it works. */
  toldAt: Instant | undefined;
}

/**
 * Work that goes on beside requests, each job at its own pace and never beside itself. What fails is
 * tried again at its next turn.
 */
export class Upkeep {
  readonly #clock: Clock;
  readonly #report: UpkeepReport;
  readonly #jobs: Job[] = [];
  readonly #timers = new Map<Job, ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(clock: Clock, report: UpkeepReport) {
    this.#clock = clock;
    this.#report = report;
  }

  /** Does the work again and again, with this many ms between the end of one and the next. */
  every(pause: number, name: string, work: () => Promise<void> | void): void {
    this.#add({ name, work, pause, isSaver: false, toldAt: undefined });
  }

  /** As `every`, and a last time at the stop: what is in memory must not be lost. */
  saveEvery(pause: number, name: string, work: () => Promise<void> | void): void {
    this.#add({ name, work, pause, isSaver: true, toldAt: undefined });
  }

  /** Waits for the jobs that run, then lets the savers save a last time. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
    for (const job of this.#jobs) if (job.isSaver) await this.#run(job);
  }

  #add(job: Job): void {
    this.#jobs.push(job);
    this.#schedule(job);
  }

  #schedule(job: Job): void {
    if (this.#stopped) return;
    const start = () => {
      const turn: Promise<void> = this.#run(job).then(() => {
        this.#running.delete(turn);
        this.#schedule(job);
      });
      this.#running.add(turn);
    };
    this.#timers.set(job, setTimeout(start, job.pause));
  }

  async #run(job: Job): Promise<void> {
    try {
      await job.work();
      if (job.toldAt) this.#report.recovered(job.name);
      job.toldAt = undefined;
    } catch (error) {
      const now = this.#clock.now();
      if (job.toldAt && now.elapsed - job.toldAt.elapsed < REPEAT_AFTER) return;
      job.toldAt = now;
      this.#report.failed(job.name, error);
    }
  }
}
