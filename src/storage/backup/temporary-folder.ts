import { mkdtempSync, rmSync } from 'node:fs';
import { constants } from 'node:os';

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Creates a temporary folder that only this user may read. It is removed when it is disposed, and when a signal
 * ends the process.
 */
export function openTemporaryFolder(prefix: string): Disposable & { readonly path: string } {
  let path: string | undefined;
  const remove = () => path !== undefined && rmSync(path, { recursive: true, force: true });
  const abandon = (signal: (typeof ENDINGS)[number]) => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  const stopListening = () => {
    for (const signal of ENDINGS) process.off(signal, abandon);
  };
  // First, because a signal right after the creation would leave the folder behind.
  for (const signal of ENDINGS) process.on(signal, abandon);
  try {
    path = mkdtempSync(prefix);
  } catch (cause) {
    stopListening();
    throw cause;
  }
  return {
    path,
    [Symbol.dispose]() {
      stopListening();
      remove();
    },
  };
}
