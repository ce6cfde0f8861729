import { SetupError } from '../../core/errors.ts';
import type { PostgresDatabase } from './database.ts';

/** The table that remembers how far the move of a data folder into the database has come. */
export const STORE_MIGRATION_PROGRESS = 'store_migration';

/** Whether such a move has begun and is not done. */
export async function isStoreMigrationUnfinished(database: PostgresDatabase): Promise<boolean> {
  const table = await database.get(
    `SELECT 1 AS found FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_name = $1`,
    STORE_MIGRATION_PROGRESS,
  );
  return table !== undefined;
}

/** @throws SetupError while half of a data folder is in the database. */
export async function refuseUnfinishedStoreMigration(database: PostgresDatabase): Promise<void> {
  if (!(await isStoreMigrationUnfinished(database))) return;
  throw new SetupError(
    'A data folder is being carried over to the database of PETSTORE_DATABASE_URL. Wait for the end of petstore migrate-store; if it was cut off, run it again.',
  );
}
