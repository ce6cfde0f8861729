import type { Kysely } from 'kysely';
import type { BatchMark } from '../core/requests/usage.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { NumberedTable } from './numbered-tables.ts';
import type { RowsStatement } from './schema/row-statements.ts';
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

/** A batch of rows with a mark, and its latest hour (hours since the Unix epoch). */
export interface NumberedBatch extends BatchMark {
  readonly hour: number;
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
  /**
   * Runs a change for many rows, all in one transaction, without Kysely.
   * @param batch if it may be sent again because its outcome is unknown: it is then added only once.
   * @returns how many rows it inserted or changed.
   */
  runForRows<Row>(
    statement: RowsStatement<Row>,
    rows: readonly Row[],
    batch?: NumberedBatch,
  ): Promise<number>;
}

/** The tables of one environment, without Kysely. */
export interface EnvironmentEngine extends Pick<Engine, 'rows' | 'runForRows'> {
  /** As in `Engine`. @param statement made by `statementOn`. */
  run(statement: Statement, ...values: SelectionValue[]): Promise<number>;
}

/** A value for a parameter of a statement in a transaction. */
export type TransactionValue = SelectionValue | null;

/**
 * Statements within one transaction on the tables of one environment. Those made by `inEnvironment` get the environment
 * as their first value.
 */
export interface EnvironmentTransaction {
  rows<Row>(selection: Selection<Row>, ...values: TransactionValue[]): Awaitable<Row[]>;
  /**
   * @param statement a text that is empty for an engine is skipped on it.
   * @returns how many rows were inserted, changed or deleted.
   */
  run(statement: Statement, ...values: TransactionValue[]): Awaitable<number>;
  /**
   * Lets other transactions that call this for the account wait until all of this one is visible, so that ids taken
   * afterwards become visible in ascending order.
   */
  lockAccount(accountId: string): Awaitable<void>;
  /** New ids for rows of a table, ascending. The transaction must insert these rows before it takes more ids. */
  newIds(table: NumberedTable, count: number): Awaitable<number[]>;
  /**
   * Must be called after rows of a table were deleted: their ids are then never assigned again.
   * @param highest the highest id of the deleted rows.
   */
  retireIds(table: NumberedTable, highest: number): Awaitable<void>;
}

/** Changes on the tables of an environment without their transaction: each has its own, and is durable when it resolves. */
export type BoundEnvironmentChanges<Changes> = {
  readonly [Name in keyof Changes]: Changes[Name] extends (
    transaction: EnvironmentTransaction,
    input: infer Input,
  ) => infer Result
    ? (input: Input) => Result
    : never;
};

/** The engine for one store, with the changes of that store. */
export interface Access<Changes> extends Omit<Engine, 'change'> {
  readonly changes: BoundChanges<Changes>;
}
