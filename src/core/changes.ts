/** What a change is about. */
export type ChangeKind = 'account' | 'key' | 'ban' | 'sandbox' | 'environment' | 'pets' | 'audit';

/**
 * A change that makes the caches of servers out of date: an account whose plan changed or that was suspended,
 * resumed or deleted, a key whose end changed, a ban that was lifted or set, an account whose sandbox changed, or
 * an environment that was reset. `pets` is an environment whose reset begins: its cached pages are out of date, and
 * recorded requests that are not saved yet do not count. `audit` is an account with a new audit log entry, which only
 * affects open pages.
 */
export interface Change {
  readonly kind: ChangeKind;
  readonly id: string;
}

/** The changes; `everything` when they are unknown. */
export type Changed = readonly Change[] | 'everything';

/** Receives the changes made by all processes; may receive the same change twice. */
export type ChangeListener = (changes: Changed) => void;
