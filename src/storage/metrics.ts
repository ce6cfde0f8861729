/** Receives the outcome of every statement or transaction; must not block. */
export interface DatabaseMetrics {
  /** The current time for measuring durations, in ms on a scale that never steps. */
  now(): number;
  /** @param took ms, of a statement, or of a transaction from the request to the disk. */
  databaseReplied(took: number): void;
  /** A read failed, or a transaction, since the storage did. */
  databaseFailed(): void;
}

/** Receives the outcome of every transaction that makes changes; must not block. */
export interface CommitMetrics {
  /** As of `DatabaseMetrics`. */
  now(): number;
  /** @param size how many changes. @param took ms, from the request to the disk. */
  committed(size: number, took: number): void;
  notCommitted(size: number): void;
}

export interface StorageMetrics extends DatabaseMetrics, CommitMetrics {}
