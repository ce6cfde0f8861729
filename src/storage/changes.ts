import type { BoundChanges } from './access.ts';
import { accountChanges } from './accounts.ts';
import { apiKeyChanges } from './api-keys.ts';
import { auditChanges } from './audit.ts';
import { banChanges } from './bans.ts';
import { messageChanges } from './messages.ts';
import type { Transaction } from './schema.ts';
import { usageChanges } from './usage.ts';

/** Every change that is written once for both engines, by name. */
export const CHANGES = {
  ...accountChanges,
  ...apiKeyChanges,
  ...auditChanges,
  ...banChanges,
  ...messageChanges,
  ...usageChanges,
};

export type Changes = typeof CHANGES;
export type ChangeName = keyof Changes;

/** A change as it travels to the writer thread. */
export interface NamedChange {
  readonly change: ChangeName;
  readonly args: readonly unknown[];
}

/** Makes a change inside of a transaction. */
export function applyChange(
  transaction: Transaction,
  { change, args }: NamedChange,
): Promise<unknown> {
  // `bindChanges` checked the arguments of each name; a list of names and arguments loses that.
  const apply = CHANGES[change] as (
    transaction: Transaction,
    ...args: readonly unknown[]
  ) => Promise<unknown>;
  return apply(transaction, ...args);
}

/** Binds every change to what runs one by its name. */
export function bindChanges(
  run: (change: ChangeName, args: readonly unknown[]) => Promise<unknown>,
): BoundChanges<Changes> {
  // The keys of an object literal are all that it has.
  const names = Object.keys(CHANGES) as ChangeName[];
  const bound = names.map((name) => [name, (...args: readonly unknown[]) => run(name, args)]);
  // Each name runs the function of that name; `Object.fromEntries` loses which is which.
  return Object.fromEntries(bound) as BoundChanges<Changes>;
}
