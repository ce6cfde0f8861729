import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** More space than the folders of all concurrent tests need. */
const ROOM = 2 * 1024 ** 3;

/**
 * The parent of the tests' folders: in memory if there is enough space, because the time that a disk takes to
 * sync is no property of the service. No program may be started from there.
 */
export const temporaryRoot: string = hasRoom() ? IN_MEMORY : tmpdir();

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
