import { existsSync, statSync } from 'node:fs';
import { openForInspection, quickCheck } from './database.ts';
import { damageIn } from './failures.ts';

/**
 * Checks every table and index of a file, which other processes may be using.
 * @param isWhole whether to check free pages as well, all in one transaction.
 * @returns the first damage found.
 * @throws SQLiteError when the file cannot be opened.
 */
export function findDamage(path: string, isWhole: boolean): string | undefined {
  // SQLite takes an empty file for a new database. All that a database holds may still be in its log.
  if (statSync(path).size === 0 && !existsSync(`${path}-wal`)) return 'the file is empty';
  const database = openForInspection(path);
  try {
    if (isWhole) return quickCheck(database, '1');
    const tables = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all();
    // Each in its own transaction, because the write-ahead log cannot be restarted during a transaction.
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
