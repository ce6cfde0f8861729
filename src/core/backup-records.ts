import type { Awaitable } from '../lib/awaitable.ts';

/** The last backup that `petstore backup` made of a store. */
export interface BackupRecord {
  /** When it was started, epoch ms. */
  readonly at: number;
  /** Its path on the machine that made it. */
  readonly file: string;
  /** Whether backups are made regularly: true from the first backup with `--to`. */
  readonly isRegular: boolean;
}

export interface BackupRecords {
  /** `undefined` before the first backup. May raise `StorageUnavailable`. */
  last(): Awaitable<BackupRecord | undefined>;
}
