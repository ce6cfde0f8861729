import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** What the folders of all tests that run at the same time take, and more. */
const ROOM = 2 * 1024 ** 3;

/**
 * Where tests make their folders: in memory where there is room for them, since the time that a disk
 * takes to sync says nothing about the service. No program may be started from there.
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
