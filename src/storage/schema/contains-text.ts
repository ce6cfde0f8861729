import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Database, TableName } from './schema.ts';

/**
 * The condition that a column contains this text, which must not be empty; the case of ASCII letters is ignored.
 * Removing the text changes a value only if it contains the text. LIKE has wildcards, and on SQLite its patterns end at
 * U+0000.
 */
export function containsText<Table extends TableName>(
  { eb, fn, val }: ExpressionBuilder<Database, Table>,
  column: Expression<string>,
  text: string,
): Expression<SqlBool> {
  const value = fn<string>('lower', [column]);
  const rest = fn<string>('replace', [value, fn('lower', [val(text)]), val('')]);
  return eb(rest, '<>', value);
}
