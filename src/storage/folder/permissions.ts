import { chmodSync, readdirSync, statSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';

const OTHERS = 0o077;

/** The names of files that the service, its commands and file systems create in a data folder. */
const OWN_NAMES =
  /^((accounts|production|staging|requests)\.(db(-wal(\.rest)?|-shm|-journal)?|lock|ids)|secret(\.previous)?(\.new)?|folder\.lock|store\.(json(\.new)?|lock)|restore-unfinished|before-.*|\.restore-.*|lost\+found)$/;

/**
 * Removes the permissions of other users on the data folder. A folder that also contains other files, such as a home
 * folder that was configured by mistake, stays unchanged.
 * @returns a message for operators, and whether they have to do something.
 */
export function restrictFolder(
  path: string,
): { readonly message: string; readonly isOpen: boolean } | undefined {
  const mode = statSync(path).mode & 0o777;
  if ((mode & OTHERS) === 0) return undefined;
  const open = `Other users may open the data folder ${path} (mode ${mode.toString(8)})`;
  const foreign = readdirSync(path).find((name) => !OWN_NAMES.test(name));
  if (foreign !== undefined) {
    return {
      message: `${open}. It also holds ${JSON.stringify(foreign)}, so it was not changed: chmod 700 it, or use a folder of its own.`,
      isOpen: true,
    };
  }
  try {
    chmodSync(path, mode & ~OTHERS);
    return { message: `${open.replace(' may ', ' could ')}: it is now private.`, isOpen: false };
  } catch (error) {
    return { message: `${open}, and it cannot be changed: ${messageOf(error)}.`, isOpen: true };
  }
}
