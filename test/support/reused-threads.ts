import { OWN_THREADS, type WriterThreads } from '../../src/storage/sqlite/writer-threads.ts';

/** Threads that are currently not used by a writer. */
const idle: Worker[] = [];

/** Reuses threads with the code that they have loaded: starting a thread takes longer than most tests. */
export const REUSED_THREADS: WriterThreads = {
  start() {
    const thread = idle.pop() ?? OWN_THREADS.start();
    keepAlive(thread, true);
    return thread;
  },
  release(thread) {
    thread.onmessage = null;
    thread.onerror = null;
    // Idle threads must not keep a script alive after its services have stopped.
    keepAlive(thread, false);
    idle.push(thread);
  },
};

/** Sets whether a thread keeps the process alive; the DOM types lack these methods. */
function keepAlive(thread: Worker, isKept: boolean): void {
  const name = isKept ? 'ref' : 'unref';
  const method: unknown = Reflect.get(thread, name);
  if (typeof method === 'function') method.call(thread);
}
