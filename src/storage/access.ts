import type { Kysely } from 'kysely';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Database, Transaction } from './schema.ts';
import type { Selection, SelectionValue, Statement } from './selection.ts';

type Arguments<Change> = Change extends (transaction: Transaction, ...args: infer Args) => unknown
  ? Args
  : never;
type Result<Change> = Change extends (...args: never[]) => infer Value ? Value : never;

/**
 * Changes without their first argument, each made durable in a transaction of its own when it resolves.
 * A change may run again when its transaction was rolled back. Its arguments and its result are JSON,
 * apart from bigints: on SQLite it runs in the writer thread.
 */
export type BoundChanges<Changes> = {
  readonly [Name in keyof Changes]: (...args: Arguments<Changes[Name]>) => Result<Changes[Name]>;
};

/** What the stores that are written once use of either engine. Every call may raise `StorageUnavailable`. */
export interface Access<Changes> {
  readonly changes: BoundChanges<Changes>;
  /** Queries through Kysely, which is loaded at the first call. */
  queries(): Promise<Kysely<Database>>;
  /** Runs a selection, without Kysely. */
  rows<Row>(selection: Selection<Row>, ...values: SelectionValue[]): Awaitable<Row[]>;
  /**
   * Makes a change in one statement, without Kysely.
   * @param sql where both engines know it; `?` stands for a value.
   * @returns how many rows it inserted, changed or deleted.
   */
  run(sql: string | Statement, ...values: SelectionValue[]): Promise<number>;
}

/** Binds changes to what runs one by its name. */
export function bindChanges<Changes extends object>(
  changes: Changes,
  run: (name: keyof Changes & string, args: readonly unknown[]) => Promise<unknown>,
): BoundChanges<Changes> {
  // The keys of an object literal are all that it has.
  const names = Object.keys(changes) as Array<keyof Changes & string>;
  const bound = names.map((name) => [name, (...args: readonly unknown[]) => run(name, args)]);
  // Each name runs the function of that name; `Object.fromEntries` loses which is which.
  return Object.fromEntries(bound) as BoundChanges<Changes>;
}
