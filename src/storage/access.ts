import type { Kysely } from 'kysely';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Database, Transaction } from './schema.ts';
import type { Selection, SelectionValue, Statement } from './selection.ts';

/**
 * Changes without their first argument, each made durable in a transaction of its own when it resolves.
 * A change may run again when its transaction was rolled back. Its arguments and its result are JSON,
 * apart from bigints: on SQLite it runs in the writer thread.
 */
export type BoundChanges<Changes> = {
  readonly [Name in keyof Changes]: Changes[Name] extends (
    transaction: Transaction,
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** A change by its name among those of a store: no function can be sent to the writer thread. */
export interface NamedChange {
  readonly store: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What the stores that are written once use of either engine. Every call may raise `StorageUnavailable`. */
export interface Engine {
  /** Makes a change in a transaction of its own; durable when it resolves. */
  change(change: NamedChange): Promise<unknown>;
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

/** An engine as one store uses it, with the changes of that store. */
export interface Access<Changes> extends Omit<Engine, 'change'> {
  readonly changes: BoundChanges<Changes>;
}
