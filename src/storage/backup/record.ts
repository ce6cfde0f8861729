import type { Config } from '../../config/config.ts';
import type { BackupRecord } from '../../core/backup-records.ts';
import { LAST_BACKUP, parseBackupRecord } from '../backup-records.ts';
import { dataFolderAt, keepRestoreOut } from '../data-folder.ts';
import { STATEMENT_LIMIT, withConnection } from '../postgres/connection.ts';
import { requirePrimary } from '../postgres/primary.ts';
import { connect } from '../sqlite/database.ts';

const FIND = 'SELECT value FROM settings WHERE name = ';
const STORE = 'ON CONFLICT (name) DO UPDATE SET value = excluded.value';

/**
 * Records a backup in the store itself, for the metrics and the overview of its service. Does not open the stores,
 * because a backup before an upgrade must not migrate them to a newer schema.
 * @throws Error when the store cannot be written, or a backup is being restored into it.
 */
export async function recordBackup(config: Config, made: BackupRecord): Promise<void> {
  const { database } = config;
  if (database) return recordInDatabase(await requirePrimary(database.servers), made);
  const folder = dataFolderAt(config.dataDir);
  const lock = keepRestoreOut(folder);
  try {
    recordInFile(folder.accounts, made);
  } finally {
    lock.release();
  }
}

function recordInFile(path: string, made: BackupRecord): void {
  using accounts = connect(path);
  const former = accounts.query<{ value: string }, [string]>(`${FIND}?`).get(LAST_BACKUP);
  accounts
    .query(`INSERT INTO settings (name, value) VALUES (?, ?) ${STORE}`)
    .run(LAST_BACKUP, textOf(made, former?.value));
}

function recordInDatabase(server: string, made: BackupRecord): Promise<void> {
  return withConnection(server, STATEMENT_LIMIT, async (sql) => {
    const [former] = await sql.unsafe<{ value: string }[]>(`${FIND}$1`, [LAST_BACKUP]);
    const values = [LAST_BACKUP, textOf(made, former?.value)];
    await sql.unsafe(`INSERT INTO settings (name, value) VALUES ($1, $2) ${STORE}`, values);
  });
}

function textOf(made: BackupRecord, former: string | undefined): string {
  const isRegular = made.isRegular || (parseBackupRecord(former)?.isRegular ?? false);
  return JSON.stringify({ ...made, isRegular });
}
