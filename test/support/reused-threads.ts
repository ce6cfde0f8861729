import { OWN_THREADS, type WriterThreads } from '../../src/storage/sqlite/writer-threads.ts';

/** Threads that no writer uses at the moment. */
const idle: Worker[] = [];

/** Threads that are used again, with the code that they have loaded: starting one takes longer than most tests. */
export const REUSED_THREADS: WriterThreads = {
  start() {
    const thread = idle.pop() ?? OWN_THREADS.start();
    thread.ref();
    return thread;
  },
  release(thread) {
    thread.onmessage = null;
    thread.onerror = null;
    // A script that starts services must end with them.
    thread.unref();
    idle.push(thread);
  },
};
