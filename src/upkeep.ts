interface Job {
  readonly name: string;
  readonly work: () => Promise<void> | void;
  readonly pause: number;
}

/** Work that goes on beside requests, each job at its own pace and never beside itself. */
export class Upkeep {
  readonly #onError: (job: string, error: unknown) => void;
  readonly #jobs: Job[] = [];
  readonly #timers = new Map<Job, ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  /** @param onError hears of jobs that fail; they are tried again at their next turn. */
  constructor(onError: (job: string, error: unknown) => void) {
    this.#onError = onError;
  }

  /** Does the work again and again, with this many ms between the end of one and the next. */
  every(pause: number, name: string, work: () => Promise<void> | void): void {
    const job = { name, work, pause };
    this.#jobs.push(job);
    this.#schedule(job);
  }

  /** Waits for the jobs that run, then does each one a last time. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
    for (const job of this.#jobs) await this.#run(job);
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

  async #run({ name, work }: Job): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onError(name, error);
    }
  }
}
