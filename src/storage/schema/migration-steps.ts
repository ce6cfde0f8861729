import type { SQL } from 'bun';

/**
 * The slow part of a step, which runs while processes of the previous release use the database. It commits its changes
 * one by one and may run again; only one process at a time runs it.
 */
export type OnlineStep = (connection: SQL) => Promise<void>;

/** Statements with the same effect on each engine. */
export interface Statements {
  /** Empty if a step is only for PostgreSQL. */
  readonly sqlite: readonly string[];
  /** Each must be repeatable: on engines that commit every DDL statement, a step can be interrupted. */
  readonly postgres: readonly string[];
}

/**
 * A schema step for both engines; these follow the steps of each engine's own list. Steps are only ever appended, with
 * a new minor release and a line in the changelog.
 */
export interface SharedStep extends Statements {
  /** The files of a data folder that contain the tables. */
  readonly file: 'accounts' | 'environment' | 'requests';
  /** Runs before the statements if an earlier release created the database. */
  readonly online?: OnlineStep;
}

/** One step, consisting of these parts. */
export function step(file: SharedStep['file'], ...parts: readonly Statements[]): SharedStep {
  return { file, ...concatSteps(...parts) };
}

/** The statements of all parts, in the same order. */
export function concatSteps(...parts: readonly Statements[]): Statements {
  return {
    sqlite: parts.flatMap(({ sqlite }) => sqlite),
    postgres: parts.flatMap(({ postgres }) => postgres),
  };
}

/** Repeatable statements that both engines understand. */
export function onBoth(...statements: string[]): Statements {
  return { sqlite: statements, postgres: statements };
}

/**
 * Creates a table on both engines.
 * @param definitions columns and constraints, in SQL that both understand; INTEGER is any 64-bit integer.
 * @param options table options on SQLite.
 */
export function newTable(
  name: string,
  definitions: readonly string[],
  options = 'STRICT',
): Statements {
  const list = definitions.join(', ');
  return {
    sqlite: [`CREATE TABLE ${name} (${list}) ${options}`],
    postgres: [`CREATE TABLE IF NOT EXISTS ${name} (${withBigints(list)})`],
  };
}

/** Adds columns on both engines. @param definitions like `newTable`. */
export function newColumns(table: string, ...definitions: string[]): Statements {
  return {
    sqlite: definitions.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column}`),
    postgres: definitions.map(
      (column) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${withBigints(column)}`,
    ),
  };
}

/** Creates indexes on both engines. @param definitions each a name and the rest of the statement. */
export function newIndexes(...definitions: string[]): Statements {
  return onBoth(...definitions.map((index) => `CREATE INDEX IF NOT EXISTS ${index}`));
}

function withBigints(definition: string): string {
  return definition.replaceAll(/\bINTEGER\b/g, 'BIGINT');
}
