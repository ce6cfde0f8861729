import { openToLook, quickCheck } from './database.ts';
import { damageIn } from './failures.ts';

/**
 * Reads every table and index of a file, which others may be using.
 * @param isWhole reads its free pages as well, and all of it in one transaction.
 * @returns the first damage that it finds.
 * @throws SQLiteError when the file cannot be opened.
 */
export function findDamage(path: string, isWhole: boolean): string | undefined {
  const database = openToLook(path);
  try {
    if (isWhole) return quickCheck(database, '1');
    const tables = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all();
    // Each in a transaction of its own: the write-ahead log cannot begin anew during one.
    for (const { name } of tables) {
      const finding = quickCheck(database, `"${name}"`);
      if (finding !== undefined) return finding;
    }
    return undefined;
  } catch (cause) {
    const finding = damageIn(cause);
    if (finding === undefined) throw cause;
    return finding;
  } finally {
    database.close();
  }
}
