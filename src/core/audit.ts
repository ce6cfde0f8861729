import type { Awaitable } from '../lib/awaitable.ts';
import type { Subscription } from './plans.ts';

export type AuditAction =
  | 'account.created'
  | 'account.deleted'
  | 'account.plan_changed'
  | 'account.role_changed'
  | 'account.reset_link_made'
  | 'key.created'
  | 'key.rotated'
  | 'key.revoked'
  | 'ban.lifted';

/** Who did something: the address of an account, or `command line: ` and a user of the machine. */
export type Actor = string;

/** One change that somebody made on purpose. Kept after the account that it is about is gone. */
export interface AuditEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly by: Actor;
  readonly action: AuditAction;
  /** The account that it is about. */
  readonly accountId: string;
  /** For people; without secrets. */
  readonly detail: string;
}

/** An entry with its place in the log; later entries have greater numbers. */
export interface AuditRecord extends AuditEntry {
  readonly number: number;
}

/** What a plan change is called in the log. */
export function describeSubscription({ plan, limits }: Subscription): string {
  return `${plan}: ${limits.perMinute} a minute, ${limits.perDay} a day`;
}

/** What was changed on purpose, by whom. Every call may raise `StorageUnavailable`. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** The newest first; those before the entry of this number, when it is given. */
  list(limit: number, before?: number): Awaitable<AuditRecord[]>;
}
