import type { Awaitable } from '../lib/awaitable.ts';

/** What a change is about. */
export type ChangeKind = 'account' | 'key' | 'ban' | 'sandbox' | 'environment' | 'audit';

/**
 * An account whose plan changed or that was suspended, resumed or deleted, a key whose end changed, a ban that was lifted or set,
 * an account whose sandbox changed, or an environment that was reset: what servers cache of it is out of date.
 * `audit` is an account with a new entry on the audit log, which concerns only open pages.
 */
export interface Change {
  readonly kind: ChangeKind;
  readonly id: string;
}

/** Learns of changes by all processes, a change perhaps twice; `everything` where it is unknown which there were. */
export type ChangeListener = (changes: readonly Change[] | 'everything') => void;

/** Changes by all processes that share a store. May raise `StorageUnavailable`. */
export interface ChangeFeed {
  /**
   * Changes after this revision, the oldest first, and the revision to continue from; `everything` where
   * the revision is too old to tell.
   */
  since(
    revision: bigint,
  ): Awaitable<{ readonly revision: bigint; readonly changes: readonly Change[] | 'everything' }>;
  /**
   * Calls `apply`, which must not reject, after each change that this process makes; the change is
   * reported to its author only when `apply` has resolved.
   */
  afterOwnChanges(apply: () => Promise<void>): void;
}

/** Tells that processes that share a store changed something. May raise `StorageUnavailable`. */
export interface ChangeSignal {
  /** Increases with each change of the feed. */
  revision(): Awaitable<bigint>;
}
