import { closeSync, lchownSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const ROOT = 0;

/**
 * Gives a file or folder that root has made to the owner and group of another one, so that the service, which runs as
 * that user, can use it. Does nothing for any other user, who can only make files of their own.
 * @param example by default the folder that it is in.
 */
export function shareOwner(path: string, example = dirname(path)): void {
  if (process.geteuid?.() !== ROOT) return;
  const { uid, gid } = statSync(example);
  // Not through a link: the owner of the folder may replace what is in it.
  if (uid !== ROOT) lchownSync(path, uid, gid);
}

/**
 * Makes an empty file for a database that root is about to open, with the owner of its folder; SQLite gives the files
 * next to it to the same owner.
 */
export function makeForOwner(path: string): void {
  if (process.geteuid?.() !== ROOT) return;
  closeSync(openSync(path, 'a', 0o600));
  shareOwner(path);
}
