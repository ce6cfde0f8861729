import { accessSync, constants } from 'node:fs';
import { basename } from 'node:path';
import { errorCodeOf, messageOf, SetupError } from '../../core/errors.ts';
import { fileFailure, isFileFailure } from '../folder/file-failures.ts';
import { damageIn } from './failures.ts';

/** The error for a database that cannot be used at the start. */
export function unusable(path: string, cause: unknown): SetupError {
  if (isFileFailure(cause)) return fileFailure('open', path, cause);
  const advice =
    damageIn(cause) === undefined
      ? 'Another program may have changed it. Copy the folder, and compare it with a backup.'
      : damageAdvice(path);
  return new SetupError(`Cannot open ${path}: ${messageOf(cause)}. ${advice}`, { cause });
}

/** What to do about a damaged database. */
export function damageAdvice(path: string): string {
  return `Restore a backup (petstore restore FILE --replace), or move the file away and recreate it without what it held: petstore store recreate ${basename(path)}`;
}

/** Otherwise SQLite would open the file read-only, and it would stay so. */
export function refuseReadOnly(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      accessSync(each, constants.W_OK);
    } catch (cause) {
      if (errorCodeOf(cause) === 'ENOENT') continue;
      throw fileFailure('write to', each, cause);
    }
  }
}

/** The message about a damaged file for operators. */
export function describeDamage(path: string, finding: string): string {
  return `${path} is damaged: ${finding}. ${damageAdvice(path)}`;
}
