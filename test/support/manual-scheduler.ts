import type { Job, Scheduler } from '../../src/lib/scheduler.ts';

/** Runs background jobs only when a test asks for it. */
export class ManualScheduler implements Scheduler {
  readonly #jobs = new Set<Job>();

  repeat(job: Job): () => Promise<void> {
    this.#jobs.add(job);
    return async () => {
      this.#jobs.delete(job);
    };
  }

  /** Runs jobs once each, in the order in which they were added: those with these names, or all. */
  async run(...names: readonly string[]): Promise<void> {
    const known = [...this.#jobs].map(({ name }) => name);
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0) throw new Error(`No job is named ${unknown}. There are: ${known}.`);
    for (const job of this.#jobs) {
      if (names.length === 0 || names.includes(job.name)) await job.run();
    }
  }
}
