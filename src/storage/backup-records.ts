import type { BackupRecord, BackupRecords } from '../core/backup-records.ts';
import type { Settings } from '../core/settings.ts';

/** Name of the setting that stores the record of the last backup, as JSON. */
export const LAST_BACKUP = 'last_backup';

/** The record that `petstore backup` stores among the settings, on either engine. */
export function storedBackupRecords(settings: Settings): BackupRecords {
  return { last: async () => parseBackupRecord(await settings.find(LAST_BACKUP)) };
}

/** Parses a stored record; `undefined` when there is none, or it has the format of another release. */
export function parseBackupRecord(text: string | undefined): BackupRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const { at, file, isRegular }: Partial<BackupRecord> = JSON.parse(text);
    const isSound = typeof at === 'number' && typeof file === 'string';
    return isSound ? { at, file, isRegular: isRegular === true } : undefined;
  } catch {
    return undefined;
  }
}
