import { OWN_THREADS, type WriterThreads } from '../../src/storage/sqlite/writer-threads.ts';

/** Threads that no writer uses at the moment. */
const idle: Worker[] = [];

/** Threads that are used again, with the code that they have loaded: starting one takes longer than most tests. */
export const REUSED_THREADS: WriterThreads = {
  start: () => idle.pop() ?? OWN_THREADS.start(),
  release(thread) {
    thread.onmessage = null;
    thread.onerror = null;
    idle.push(thread);
  },
};
