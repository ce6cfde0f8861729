import { SetupError } from '../../core/errors.ts';
import type { PostgresDatabase } from './database.ts';

/** The table that records the progress of migrating a data folder to the database. */
export const STORE_MIGRATION_PROGRESS = 'store_migration';

/** Whether such a migration has started and is not finished. */
export async function isStoreMigrationUnfinished(database: PostgresDatabase): Promise<boolean> {
  const table = await database.get(
    `SELECT 1 AS found FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_name = $1`,
    STORE_MIGRATION_PROGRESS,
  );
  return table !== undefined;
}

/** @throws SetupError while only a part of a data folder has been migrated to the database. */
export async function refuseUnfinishedStoreMigration(database: PostgresDatabase): Promise<void> {
  if (!(await isStoreMigrationUnfinished(database))) return;
  throw new SetupError(
    'The migration of a data folder to the database of PETSTORE_DATABASE_URL is not finished. Wait until petstore migrate-store ends; if it was interrupted, run it again.',
  );
}
