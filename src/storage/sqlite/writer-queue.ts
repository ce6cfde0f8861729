import type { StorageMetrics } from '../metrics.ts';
import type { Write, WriteResult } from './writer-protocol.ts';

/**
 * Changes that are always part of the next transaction, because a crash loses the quotas that are not saved. Each is
 * added only after the previous one is saved, so that few are waiting.
 */
export const URGENT: ReadonlySet<Write['name']> = new Set(['saveRows']);

/** A change and its caller. */
export interface Waiting {
  readonly write: Write;
  readonly settle: (result: WriteResult) => void;
}

/** The changes of one file. */
export interface Queue {
  readonly waiting: Waiting[];
  inFlight: Waiting[];
  /** When the transaction in flight was sent, on the clock of the metrics; `undefined` without metrics. */
  sentAt: number | undefined;
}

/**
 * Reports a transaction to the metrics, if there are any.
 * @param sentAt as in `Queue`.
 */
export function measureCommit(
  metrics: StorageMetrics | undefined,
  results: readonly WriteResult[],
  sentAt: number | undefined,
): void {
  if (!metrics || sentAt === undefined) return;
  const took = metrics.now() - sentAt;
  const failed = results.filter(({ ok }) => !ok).length;
  if (failed > 0) metrics.notCommitted(failed);
  if (failed < results.length) metrics.committed(results.length - failed, took);
  if (results.some((result) => !result.ok && result.unavailable)) metrics.databaseFailed();
  else metrics.databaseReplied(took);
}
