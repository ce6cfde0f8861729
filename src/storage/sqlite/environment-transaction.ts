import type { Database } from 'bun:sqlite';
import type { EnvironmentTransaction } from '../access.ts';
import { query } from './database.ts';
import { highestIdIn, retireIds, selectNumber } from './numbers.ts';

/**
 * Statements on the file of an environment, in a transaction of the writer thread. All rows belong to the environment, so
 * no statement uses the first value.
 */
export function environmentTransaction(database: Database): EnvironmentTransaction {
  return {
    rows: (selection, ...values) => query(database, selection).all('', ...values),
    run: ({ sqlite }, ...values) =>
      sqlite === '' ? 0 : Number(query(database, { sqlite }).run('', ...values).changes),
    // There is one transaction at a time.
    lockAccount() {},
    newIds(table, count) {
      const after = selectNumber(database, { sqlite: `SELECT ${highestIdIn(table)} AS number` });
      return Array.from({ length: count }, (_, index) => after + 1 + index);
    },
    retireIds: (table, highest) => retireIds(database, table, highest),
  };
}
