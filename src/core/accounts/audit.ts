import type { Awaitable } from '../../lib/awaitable.ts';
import { DAY, MINUTE } from '../../lib/clock.ts';
import type { Subscription } from '../limits/plans.ts';

/**
 * Security events of one account (OWASP ASVS 5.0, 16.3): shown to its holder, kept for 90 days, and deleted with the
 * account. Other entries are kept without personal data.
 */
export const SECURITY_EVENTS = [
  'session.signed_in',
  'session.refused',
  'password.changed',
  'factor.added',
  'factor.removed',
] as const;

/** How long security events are kept, and the device and address of other entries, in ms. */
export const SECURITY_EVENTS_STAY = 90 * DAY;

/** The shortest time between two entries about refused sign-ins of one account, in ms. */
export const REFUSAL_INTERVAL = MINUTE;

/** The kinds of audit entries. */
export const AUDIT_ACTIONS = [
  ...SECURITY_EVENTS,
  'account.created',
  'account.deleted',
  'account.plan_changed',
  'account.role_changed',
  'account.suspended',
  'account.resumed',
  'account.reset_link_made',
  'account.sessions_ended',
  // Of 1.0.0 and before; now `factor.added` and `factor.removed`.
  'second_factor.added',
  'second_factor.removed',
  'second_factor.renamed',
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
  'order.cancelled',
  'environment.reset',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The entries about an account that its holder sees. */
export const HOLDER_ACTIONS: readonly AuditAction[] = AUDIT_ACTIONS.filter(
  (action) =>
    /^(session|password|factor|second_factor)\./.test(action) ||
    ['account.reset_link_made', 'account.sessions_ended', 'account.role_changed'].includes(action),
);

/**
 * Who made a change: the e-mail address of an account, `command line: ` and the name of a system user, or
 * `SERVICE`.
 */
export type Actor = string;

/** A background job of the service. */
export const SERVICE: Actor = 'the service';

/** Somebody who tries to sign in. */
export const SOMEBODY: Actor = 'somebody who is not signed in';

/** Where a request to the dashboard comes from. */
export interface ClientDescription {
  /** The names of the browser and the system: one of few texts, never what the client sent. */
  readonly device: string;
  /** Of the client; an IPv6 address is that of its network. */
  readonly address: string;
}

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
  /** Only of sign-ins and of changes to passwords and second factors in the dashboard; removed after 90 days. */
  readonly client?: ClientDescription | undefined;
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
  readonly actions?: readonly AuditAction[] | undefined;
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
  /**
   * Records a security event, unless its account is gone. Of refused sign-ins of one account at most one is recorded
   * in REFUSAL_INTERVAL, by all processes together.
   */
  recordEvent(entry: AuditEntry): Promise<void>;
  /** The latest entries, newest first; if `before` is given, only entries with a lower number. */
  list(limit: number, before?: number, filter?: AuditFilter): Awaitable<AuditRecord[]>;
  /** Deletes security events from before `end` (epoch ms), and the devices and addresses of other entries. */
  prune(end: number): Promise<void>;
}
