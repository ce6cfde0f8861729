import type { SQL } from 'bun';

/**
 * Does what takes long while processes of the previous release use the database. Its own changes are
 * committed one by one, and it may run again; one process at a time does it.
 */
export type OnlineStep = (connection: SQL) => Promise<void>;

/** Statements that do the same on each engine. */
export interface Statements {
  /** None where a step is of PostgreSQL alone. */
  readonly sqlite: readonly string[];
  /** Each may run again: on engines that commit every definition, a step can be cut off. */
  readonly postgres: readonly string[];
}

/**
 * The steps of the schema that are written for both engines, after those of each engine's own list. Steps
 * are only ever appended, with a new minor release and a line in the changelog.
 */
export interface SharedStep extends Statements {
  /** The files of a data folder that have the tables. */
  readonly file: 'accounts' | 'environment' | 'requests';
  /** Runs before the statements where an earlier release made the database. */
  readonly online?: OnlineStep;
}

/** One step, of these parts. */
export function step(file: SharedStep['file'], ...parts: readonly Statements[]): SharedStep {
  return { file, ...together(...parts) };
}

/** The statements of all parts, in their order. */
export function together(...parts: readonly Statements[]): Statements {
  return {
    sqlite: parts.flatMap(({ sqlite }) => sqlite),
    postgres: parts.flatMap(({ postgres }) => postgres),
  };
}

/** Statements that both engines know, and that may run again. */
export function onBoth(...statements: string[]): Statements {
  return { sqlite: statements, postgres: statements };
}

/**
 * Creates a table on both engines.
 * @param definitions columns and constraints, in SQL that both know; INTEGER is any 64-bit integer.
 * @param options those of the table on SQLite.
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

/** Adds columns on both engines. @param definitions as for `newTable`. */
export function newColumns(table: string, ...definitions: string[]): Statements {
  return {
    sqlite: definitions.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column}`),
    postgres: definitions.map(
      (column) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${withBigints(column)}`,
    ),
  };
}

/** Creates indexes on both engines. @param definitions each a name and what follows it. */
export function newIndexes(...definitions: string[]): Statements {
  return onBoth(...definitions.map((index) => `CREATE INDEX IF NOT EXISTS ${index}`));
}

function withBigints(definition: string): string {
  return definition.replaceAll(/\bINTEGER\b/g, 'BIGINT');
}
