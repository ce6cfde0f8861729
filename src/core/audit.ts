import type { Awaitable } from '../lib/awaitable.ts';
import type { Subscription } from './plans.ts';

/** The kinds of audit entries. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.deleted',
  'account.plan_changed',
  'account.role_changed',
  'account.suspended',
  'account.resumed',
  'account.reset_link_made',
  'account.sessions_ended',
  'second_factor.added',
  'second_factor.renamed',
  'second_factor.removed',
  'second_factor.codes_renewed',
  'second_factor.code_used',
  'second_factor.reset',
  'key.created',
  'key.rotated',
  'key.renamed',
  'key.revoked',
  'key.removed',
  'ban.lifted',
  'sandbox.clock_advanced',
  'sandbox.usage_set',
  'sandbox.key_banned',
  'sandbox.ban_lifted',
  'sandbox.simulation_set',
  'sandbox.reset',
  'environment.reset',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * Who made a change: the e-mail address of an account, `command line: ` and the name of a system user, or
 * `SERVICE`.
 */
export type Actor = string;

/** A background job of the service. */
export const SERVICE: Actor = 'the service';

/**
 * One deliberate change, or the deletion of a key that ended long ago. Kept without personal data
 * (`withoutPersonalData`) after the account that it concerns is deleted.
 */
export interface AuditEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly by: Actor;
  readonly action: AuditAction;
  /** The account that it concerns. */
  readonly accountId: string;
  /** Human-readable; never contains a secret. */
  readonly detail: string;
}

/** An entry with its number in the log; later entries have greater numbers. */
export interface AuditRecord extends AuditEntry {
  readonly number: number;
}

/** A plan and its limits, as the audit log shows them. */
export function describeSubscription({ plan, limits }: Subscription): string {
  return `${plan}: ${limits.perMinute} a minute, ${limits.perDay} a day`;
}

/** Selects entries. Omitted fields match any entry. */
export interface AuditFilter {
  /** A part of the actor, ignoring case. */
  readonly actor?: string | undefined;
  readonly accountId?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** Inclusive, epoch ms. */
  readonly from?: number | undefined;
  /** Exclusive, epoch ms. */
  readonly to?: number | undefined;
}

export function isAuditAction(text: string): text is AuditAction {
  return AUDIT_ACTIONS.some((action) => action === text);
}

/** Replaces addresses in the details of a deleted account. */
const NO_ADDRESS = '(deleted)';

/**
 * The detail of an entry after the account that it concerns is deleted: without e-mail addresses, names of keys
 * and passkeys, and reasons, which are written by people. Ids, plans and times are kept.
 * @param addresses e-mail addresses of the account.
 */
export function withoutPersonalData(
  action: AuditAction,
  detail: string,
  addresses: readonly string[],
): string {
  if (action === 'account.suspended') return '';
  if (action.startsWith('second_factor.')) return '';
  // The format of `describeKey`.
  if (action.startsWith('key.')) return detail.replace(/ key ".*" \(/su, ' key (');
  return addresses.reduce((text, address) => text.replaceAll(address, NO_ADDRESS), detail);
}

/** The log of deliberate changes. Every call may raise `StorageUnavailable`. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** The latest entries, newest first; if `before` is given, only entries with a lower number. */
  list(limit: number, before?: number, filter?: AuditFilter): Awaitable<AuditRecord[]>;
}
