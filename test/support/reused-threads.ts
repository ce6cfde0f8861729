import { OWN_THREADS, type WriterThreads } from '../../src/storage/sqlite/writer-threads.ts';

/** Threads that no writer uses at the moment. */
const idle: Worker[] = [];

/** Threads that are used again, with the code that they have loaded: starting one takes longer than most tests. */
export const REUSED_THREADS: WriterThreads = {
  start() {
    const thread = idle.pop() ?? OWN_THREADS.start();
    keepAlive(thread, true);
    return thread;
  },
  release(thread) {
    thread.onmessage = null;
    thread.onerror = null;
    // A script that starts services must end with them.
    keepAlive(thread, false);
    idle.push(thread);
  },
};

/** Whether the process waits for a thread; the types of the DOM do not know it. */
function keepAlive(thread: Worker, isKept: boolean): void {
  const name = isKept ? 'ref' : 'unref';
  const method: unknown = Reflect.get(thread, name);
  if (typeof method === 'function') method.call(thread);
}
