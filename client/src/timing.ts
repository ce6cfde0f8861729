/** Resolves after `delayMs` milliseconds, or rejects with the reason of `signal` on its abort. */
export function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Settles like `work`, or rejects with the reason of `signal` on its abort, whatever `work` does.
 * Leaves no listener.
 */
export function orAbort<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const settle = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    work.finally(settle).then(resolve, reject);
    if (signal.aborted) onAbort();
  });
}

/** When and why to give up on a task. */
export interface Deadline {
  /** Milliseconds that the task may take. */
  readonly timeoutMs: number;
  /** Makes the error that the task fails with after the timeout. */
  readonly onTimeout: () => Error;
  /** Ends the task before the timeout. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs `task` with a signal that aborts after the timeout or on the abort of the deadline's signal,
 * and rejects with that reason, whatever `task` does. Leaves no timer and no listener.
 */
export async function withDeadline<Result>(
  deadline: Deadline,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal } = deadline;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(deadline.onTimeout()), deadline.timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await orAbort(task(controller.signal), controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
