import type { Kysely } from 'kysely';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Database, Transaction } from './schema/schema.ts';
import type { Selection, SelectionValue, Statement } from './schema/selection.ts';

/**
 * Changes without their first argument. Each runs in its own transaction and is durable when it resolves. A change
 * may run again if its transaction was rolled back. Its arguments and result must be JSON values or bigints,
 * because on SQLite it runs in the writer thread.
 */
export type BoundChanges<Changes> = {
  readonly [Name in keyof Changes]: Changes[Name] extends (
    transaction: Transaction,
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** A change identified by its name, because no function can be sent to the writer thread. */
export interface NamedChange {
  readonly store: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The database access of the stores that both engines share. Every call may raise `StorageUnavailable`. */
export interface Engine {
  /** Runs a change in its own transaction; durable when it resolves. */
  change(change: NamedChange): Promise<unknown>;
  /** Queries through Kysely, which is loaded at the first call. */
  queries(): Promise<Kysely<Database>>;
  /** Runs a selection without Kysely. */
  rows<Row>(selection: Selection<Row>, ...values: SelectionValue[]): Awaitable<Row[]>;
  /**
   * Runs a change in one statement, without Kysely.
   * @param sql a text that both engines understand, or one per engine; `?` stands for a value.
   * @returns how many rows it inserted, changed or deleted.
   */
  run(sql: string | Statement, ...values: SelectionValue[]): Promise<number>;
}

/** The engine for one store, with the changes of that store. */
export interface Access<Changes> extends Omit<Engine, 'change'> {
  readonly changes: BoundChanges<Changes>;
}
