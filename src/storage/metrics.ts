/** Receives the outcome of every statement or transaction; must not block. */
export interface DatabaseMetrics {
  /** The current time for measuring durations, in ms on a monotonic clock. */
  now(): number;
  /** @param took ms, of a statement, or of a transaction until it is on disk. */
  databaseReplied(took: number): void;
  /** A read or a transaction failed because of the storage. */
  databaseFailed(): void;
}

/** Receives the outcome of every transaction that makes changes; must not block. */
export interface CommitMetrics {
  /** As in `DatabaseMetrics`. */
  now(): number;
  /** @param size the number of changes. @param took ms, until they are on disk. */
  committed(size: number, took: number): void;
  notCommitted(size: number): void;
}

export interface StorageMetrics extends DatabaseMetrics, CommitMetrics {}
