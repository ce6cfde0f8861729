import type { Awaitable } from '../../lib/awaitable.ts';
import type { Subscription } from '../limits/plans.ts';
import type { Actor } from './audit.ts';
import type { Suspension } from './suspensions.ts';

/** The role of an account in the dashboard. Operators may also manage other accounts. */
export type Role = 'customer' | 'operator';

/** The owner of API keys. Quotas belong to the account, so creating more keys does not increase them. */
export interface Account extends Subscription {
  readonly id: string;
  /** Unique; compared case-insensitively. */
  readonly email: string;
  readonly role: Role;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Set while the account is suspended: its keys are refused, and its sessions are read-only. */
  readonly suspension?: Suspension | undefined;
}

/**
 * Accounts and their plans. Every change writes an audit entry in the same transaction, with its actor
 * (`by`) and time (`now`, epoch ms). Every call may raise `StorageUnavailable`.
 */
export interface AccountStore {
  /** Creates an account. `undefined` when the address is taken. */
  create(
    email: string,
    subscription: Subscription,
    now: number,
    by: Actor,
  ): Promise<Account | undefined>;
  /**
   * Creates a Free account with a password. `undefined` when the address is taken.
   * @param isConfirmed whether the user has proven that the address is theirs.
   */
  signUp(
    email: string,
    passwordHash: string,
    now: number,
    isConfirmed: boolean,
  ): Promise<Account | undefined>;
  /**
   * Deletes an account with everything that belongs to it; its keys are refused from the start. The pets of its open
   * orders become available. Its own pets are kept, and belong to nobody then. Audit log entries are kept without
   * personal data. If the deletion is interrupted, call it again to complete it.
   */
  delete(id: string, now: number, by: Actor): Promise<void>;
  find(id: string): Awaitable<Account | undefined>;
  /** The accounts with these ids, in no particular order; unknown ids are omitted. */
  findAll(ids: readonly string[]): Awaitable<Account[]>;
  findByEmail(email: string): Awaitable<Account | undefined>;
  list(): Awaitable<Account[]>;
  /** Accounts whose address contains the text, case-insensitively; at most `limit`, sorted by address. */
  search(text: string, limit: number): Awaitable<Account[]>;
  setSubscription(id: string, subscription: Subscription, now: number, by: Actor): Promise<void>;
  /** An account that becomes an operator is signed out everywhere. */
  setRole(id: string, role: Role, now: number, by: Actor): Promise<void>;
  /** `false` when there is no such account, or it is already suspended; the first reason is then kept. */
  suspend(id: string, reason: string, now: number, by: Actor): Promise<boolean>;
  /** Ends a suspension. `false` when there is none. */
  resume(id: string, now: number, by: Actor): Promise<boolean>;
}
