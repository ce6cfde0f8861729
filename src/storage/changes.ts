import type { Transaction } from './schema.ts';
import { CHANGES, type Changes } from './shared-stores.ts';

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
