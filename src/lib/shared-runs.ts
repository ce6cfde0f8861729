/** Runs work that callers share. */
export class SharedRuns {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  /** The run that callers join until it begins. */
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Waits for a run that begins after this call; settles as that run does. */
  run(): Promise<void> {
    this.#next ??= this.#runAfter(this.#running);
    return this.#next;
  }

  async #runAfter(running: Promise<void> | undefined): Promise<void> {
    // Even without a run in progress, callers of the same turn join this one.
    await running?.catch(() => {});
    this.#running = this.#next;
    this.#next = undefined;
    await this.#work();
  }
}
