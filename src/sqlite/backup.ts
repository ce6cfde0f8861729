import { Database } from 'bun:sqlite';
import { inspect } from './database.ts';
import type { Schema } from './migrations.ts';

/**
 * Copies a database file as it stands at one moment, while others go on writing to it. The copy is
 * checked whole before this returns.
 * @throws SetupError when the copy is damaged.
 */
export function snapshot(source: string, target: string, schema: Schema): void {
  const database = new Database(source, { readwrite: true });
  try {
    database.query('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
  inspect(target, schema, true);
}
