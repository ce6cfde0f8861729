import { chmodSync, readdirSync, statSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';

const OTHERS = 0o077;

/** Everything that the service and its commands put into a data folder, and what a file system does. */
const OWN_NAMES =
  /^((accounts|production|staging|requests)\.(db(-wal(\.rest)?|-shm|-journal)?|lock|ids)|secret|folder\.lock|store\.(json(\.new)?|lock)|restore-unfinished|before-.*|\.restore-.*|lost\+found)$/;

/**
 * Takes the data folder's permissions away from other users. A folder that holds other things as well,
 * such as a home folder that was named by mistake, stays as it is.
 * @returns what an operator should know, and whether something is left to do.
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
