import { mkdtempSync, rmSync } from 'node:fs';
import { constants } from 'node:os';

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Creates a temporary folder that only this user may read. It is removed when it is disposed, and when a signal
 * ends the process.
 */
export function openTemporaryFolder(prefix: string): Disposable & { readonly path: string } {
  const path = mkdtempSync(prefix);
  const remove = () => rmSync(path, { recursive: true, force: true });
  const abandon = (signal: (typeof ENDINGS)[number]) => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDINGS) process.on(signal, abandon);
  return {
    path,
    [Symbol.dispose]() {
      for (const signal of ENDINGS) process.off(signal, abandon);
      remove();
    },
  };
}
