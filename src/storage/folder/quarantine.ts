import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { makeDurable } from '../data-folder.ts';
import { shareOwner } from './owner.ts';

/**
 * Moves files of a folder into a new folder within it. A folder next to it may be on another file system, for example
 * if the folder is a mounted volume.
 * @param why the prefix of the new folder's name, before the time.
 * @returns the path of the new folder.
 */
export function quarantine(
  path: string,
  names: readonly string[],
  why: string,
  clock: Clock,
): string {
  const stamp = new Date(clock.now().wall).toISOString().replaceAll(/[:.]/g, '-');
  const aside = join(path, `${why}-${stamp}`);
  mkdirSync(aside, { mode: 0o700 });
  shareOwner(aside);
  for (const name of names) renameSync(join(path, name), join(aside, name));
  makeDurable(aside);
  return aside;
}
