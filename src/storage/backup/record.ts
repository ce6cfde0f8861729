import type { Config } from '../../config/config.ts';
import type { BackupRecord } from '../../core/backup-records.ts';
import { LAST_BACKUP, parseBackupRecord } from '../backup-records.ts';
import { dataFolderAt, lockShared } from '../data-folder.ts';
import { STATEMENT_LIMIT, withConnection } from '../postgres/connection.ts';
import { requirePrimary } from '../postgres/primary.ts';
import { numbered } from '../schema/selection.ts';
import { KEEP_SETTING } from '../settings.ts';
import { connect } from '../sqlite/database.ts';

const REPLACE = 'UPDATE settings SET value = ? WHERE name = ?';

/**
 * Records a backup in the store itself, for the metrics and the overview of its service. Does not open the stores,
 * because a backup before an upgrade must not migrate them to a newer schema.
 * @throws Error when the store cannot be written, or a backup is being restored into it.
 */
export async function recordBackup(config: Config, made: BackupRecord): Promise<void> {
  const { database } = config;
  if (database) return recordInDatabase(await requirePrimary(database.servers), made);
  const folder = dataFolderAt(config.dataDir);
  using _lock = lockShared(folder);
  recordInFile(folder.accounts, made);
}

function recordInFile(path: string, made: BackupRecord): void {
  using accounts = connect(path);
  const record = accounts.transaction(() => {
    const former = accounts.query<{ value: string }, string[]>(KEEP_SETTING).get(...initial(made));
    accounts.query(REPLACE).run(textOf(made, former?.value), LAST_BACKUP);
  });
  record.immediate();
}

function recordInDatabase(server: string, made: BackupRecord): Promise<void> {
  return withConnection(server, STATEMENT_LIMIT, (sql) =>
    sql.begin(async (transaction) => {
      const [former] = await transaction.unsafe<{ value: string }[]>(
        numbered(KEEP_SETTING),
        initial(made),
      );
      const values = [textOf(made, former?.value), LAST_BACKUP];
      await transaction.unsafe(numbered(REPLACE), values);
    }),
  );
}

/** The values of `KEEP_SETTING`. */
function initial(made: BackupRecord): [name: string, value: string] {
  return [LAST_BACKUP, JSON.stringify(made)];
}

function textOf(made: BackupRecord, former: string | undefined): string {
  const isRegular = made.isRegular || (parseBackupRecord(former)?.isRegular ?? false);
  return JSON.stringify({ ...made, isRegular });
}
