import type { Awaitable } from '../lib/awaitable.ts';
import type { Actor } from './audit.ts';
import type { Subscription } from './plans.ts';

const LONGEST_EMAIL = 254;

const EMAIL =
  /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/;

/** Whether a text can be an account's address: one that mail reaches and that may sign in. */
export function isEmailAddress(text: string): boolean {
  return text.length <= LONGEST_EMAIL && EMAIL.test(text);
}

/** What an account may do in the dashboard: its own things, or also what operators do. */
export type Role = 'customer' | 'operator';

/** Whoever holds API keys; quotas belong to it, so that more keys do not buy more quota. */
export interface Account extends Subscription {
  readonly id: string;
  /** Unique, compared without case. */
  readonly email: string;
  readonly role: Role;
  /** Epoch ms. */
  readonly createdAt: number;
}

/**
 * Accounts and their plans. What changes something puts it on the audit log in the same transaction:
 * `by` whom and when (`now`, epoch ms). Every call may raise `StorageUnavailable`.
 */
export interface AccountStore {
  /** `undefined` when the address is taken. */
  create(
    email: string,
    subscription: Subscription,
    now: number,
    by: Actor,
  ): Promise<Account | undefined>;
  /**
   * A Free account with a password, made by its holder; nobody has confirmed the address yet.
   * `undefined` when the address is taken.
   */
  signUp(email: string, passwordHash: string, now: number): Promise<Account | undefined>;
  /** With all that belongs to it; keys that are remembered have to be forgotten then. */
  delete(id: string, now: number, by: Actor): Promise<void>;
  find(id: string): Awaitable<Account | undefined>;
  findByEmail(email: string): Awaitable<Account | undefined>;
  list(): Awaitable<Account[]>;
  /** Accounts whose address contains the text, without case; by address, `limit` at the most. */
  search(text: string, limit: number): Awaitable<Account[]>;
  setSubscription(id: string, subscription: Subscription, now: number, by: Actor): Promise<void>;
  setRole(id: string, role: Role, now: number, by: Actor): Promise<void>;
}
