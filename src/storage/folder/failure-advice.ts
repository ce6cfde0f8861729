import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/** The code of a lock that another program holds; SQLite has several, the system none. */
export const LOCKED = 'LOCKED';

/** The code of a symbolic link in the place of a file that SQLite opens only as a plain one; the system has none. */
export const LINKED = 'LINKED';

const DISK_ERROR =
  'The disk or its file system has an input/output error. Check them (dmesg), also the free space, the quota and the limit of the file size; then try again. Copy the folder before a repair.';
const NOT_A_FOLDER =
  'A part of its path is a file instead of a folder, or the reverse. Correct the path, or move that file away and put back the folder.';

const READ_AND_WRITE = constants.R_OK | constants.W_OK;

/** What to do, by the code of the system. */
const ADVICE: Readonly<Record<string, string>> = {
  [LOCKED]:
    'Another program holds a lock on it. End that program (fuser or lsof on the file names it), and try again.',
  [LINKED]:
    'It is a symbolic link, which SQLite does not follow here. Put the file back in its place, or link the whole folder instead.',
  ENOSPC: 'The disk is full. Free space on it (df -h, and df -i for inodes), and try again.',
  EDQUOT: 'The disk quota of this user is used up. Free space or raise the quota, and try again.',
  EFBIG: 'The file may not grow. Raise the limit of the file size (ulimit -f), and try again.',
  EROFS:
    'The file system is mounted read-only. Find out why (dmesg), make it writable, and try again.',
  EMFILE: 'This process has no file descriptors left. Raise its limit (ulimit -n), and try again.',
  ENFILE: 'The machine has no file descriptors left. Raise fs.file-max, and try again.',
  ENOMEM: 'Memory is used up. Free memory, or raise the limit of this process, and try again.',
  ENOLCK: 'Its file system does not provide locks. Use a folder on a local disk.',
  ELOOP: 'Its symbolic links lead in a circle. Put the file or folder back in place of the link.',
  EISDIR: 'It is a folder in the place of a file. Move the folder away, and put the file back.',
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
  ENAMETOOLONG: 'The path is too long. Use a shorter one.',
  EBUSY: 'Another program uses it. End that program, and try again.',
  ETXTBSY: 'Another program uses it. End that program, and try again.',
  ENOENT: 'It is missing. Put it back.',
  ENXIO: 'It is not a regular file. Move it away, and put the file back.',
};

/**
 * Names the cause of a failed access to a file or folder, and what to do about it.
 * @param code of the system, such as ENOSPC, or `LOCKED`.
 */
export function adviceAbout(path: string, code: string): string {
  if (code === 'EACCES' || code === 'EPERM') return adviceAboutOwner(path);
  if (code === 'ENOENT' || code === 'EEXIST') {
    const target = linkTarget(path);
    if (target !== undefined) {
      return `It is a symbolic link to ${target}, which does not exist. Mount or put back what it leads to.`;
    }
  }
  return ADVICE[code] ?? DISK_ERROR;
}

/** Where a symbolic link leads; `undefined` for anything else. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function adviceAboutOwner(path: string): string {
  const user = process.geteuid?.() ?? -1;
  const folder = dirname(path);
  const found = findClosed(path);
  const isFolderClosed =
    found === path && mayAccess(path, READ_AND_WRITE) && !mayAccess(folder, constants.W_OK);
  const closed = isFolderClosed ? folder : found;
  const { uid, gid, mode } = lstatSync(closed);
  const owner = `${closed} belongs to user ${uid} and group ${gid} with mode ${(mode & 0o7777).toString(8)}, and this process runs as user ${user}.`;
  if (uid === user || user === 0) {
    return `${owner} Make it writable for the user of the service: chmod u+rwX ${closed}; if it is already, look at its attributes (lsattr), the mount and the security policy.`;
  }
  return `${owner} Make it writable for the user of the service (chown ${user} ${closed}), or use that user.`;
}

/** The first folder on the way to the path that this process may not enter; otherwise the path, or its folder. */
function findClosed(path: string): string {
  const parent = dirname(path);
  if (parent !== path) {
    const closed = findClosed(parent);
    if (closed !== parent || !mayAccess(parent, constants.X_OK)) return closed;
  }
  return mayAccess(path, constants.F_OK) ? path : parent;
}

function mayAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
