import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { makeDurable } from '../data-folder.ts';

/**
 * Moves files of a folder into a new folder within it. Within, because what is beside it may be
 * another file system, as for a mounted volume.
 * @param why what the new folder is called, before the time.
 * @returns the path of the new folder.
 */
export function moveAside(
  path: string,
  names: readonly string[],
  why: string,
  clock: Clock,
): string {
  const stamp = new Date(clock.now().wall).toISOString().replaceAll(/[:.]/g, '-');
  const aside = join(path, `${why}-${stamp}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of names) renameSync(join(path, name), join(aside, name));
  makeDurable(aside);
  return aside;
}
