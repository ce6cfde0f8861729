import type { Awaitable } from '../lib/awaitable.ts';

/** The last backup that `petstore backup` made of a store. */
export interface BackupRecord {
  /** When it was begun; ms since the epoch. */
  readonly at: number;
  /** Its path on the machine that made it. */
  readonly file: string;
  /** Whether backups are made regularly: from the first one with `--to` on. */
  readonly isRegular: boolean;
}

export interface BackupRecords {
  /** `undefined` before the first backup. May raise `StorageUnavailable`. */
  last(): Awaitable<BackupRecord | undefined>;
}
