import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../../core/errors.ts';
import { LINKED, linkTarget } from './failure-advice.ts';

/** More than SQLite needs to open a database, in bytes. */
const TEST_BYTES = 256 * 1024;

/** The database, its write-ahead log, its shared memory, the folder, and some in other threads. */
const DESCRIPTORS = 8;

/**
 * Finds out why SQLite could not use a database file, because its error does not say it. Does not open the file: closing
 * it would release the locks that this process holds on it.
 * @returns the code of the system, EIO if nothing else is found, and the path that it applies to.
 */
export function findSystemCode(path: string): { readonly path: string; readonly code: string } {
  const folder = dirname(path);
  const tests: ReadonlyArray<readonly [string, () => void]> = [
    [path, testDescriptors],
    [path, () => testFile(path)],
    ...[`${path}-wal`, `${path}-shm`].map((file) => [file, () => testPlainFile(file)] as const),
    [folder, () => testDisk(folder)],
  ];
  for (const [tested, run] of tests) {
    const code = codeFrom(run);
    // SQLite creates files that are missing.
    if (code !== undefined && code !== 'ENOENT') return { path: tested, code };
  }
  return { path, code: 'EIO' };
}

function codeFrom(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return String(errorCodeOf(error) ?? 'EIO');
  }
}

/** Opens as many descriptors as SQLite needs for a database; those of a failed attempt are free again. */
function testDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < DESCRIPTORS) opened.push(openSync('/dev/null', 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

function testFile(path: string): void {
  const found = statSync(path);
  if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (!found.isFile()) throw Object.assign(new Error('no file'), { code: 'ENXIO' });
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** SQLite follows a symbolic link to a database, but none in the place of its log or its shared memory. */
function testPlainFile(path: string): void {
  if (linkTarget(path) !== undefined) {
    throw Object.assign(new Error('a symbolic link'), { code: LINKED });
  }
  testFile(path);
}

/** Writes and syncs a file in the folder. */
function testDisk(folder: string): void {
  const path = join(folder, `.probe-${crypto.randomUUID()}`);
  const file = openSync(path, 'wx', 0o600);
  try {
    let left = TEST_BYTES;
    while (left > 0) left -= writeSync(file, Buffer.alloc(left));
    fsyncSync(file);
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}
