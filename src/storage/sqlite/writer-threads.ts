import { entryPoint } from '../../lib/bundled.ts';

/** The source of threads for writers. */
export interface WriterThreads {
  start(): Worker;
  /** Takes back a thread that has closed all of its files. */
  release(thread: Worker): void;
}

/** A new thread for each writer. */
export const OWN_THREADS: WriterThreads = {
  start: () => new Worker(entryPoint('./writer-thread.ts', import.meta.url).href),
  release: (thread) => thread.terminate(),
};
