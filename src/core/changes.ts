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

/** What was changed; `everything` where it is unknown. */
export type Changed = readonly Change[] | 'everything';

/** Learns of changes by all processes, a change perhaps twice. */
export type ChangeListener = (changes: Changed) => void;
