import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError } from '../core/errors.ts';
import { MINUTE, systemClock } from '../lib/clock.ts';
import { FILE_NAMES, THROWAWAY_PREFIX as PREFIX } from '../storage/data-folder.ts';
import { explainFailure } from '../storage/folder/file-failures.ts';
import { shareLock, takeLock } from '../storage/sqlite/lock.ts';

/** Prefix of a folder that is not locked yet. It is renamed once it is locked, and only then found by others. */
const DRAFT_PREFIX = `.${PREFIX}`;

/** The age from which an unlocked folder is taken for abandoned, in ms. */
const DRAFT_TIME = 10 * MINUTE;

/** The folder of a throwaway service; it is deleted on disposal. */
interface ThrowawayFolder extends Disposable {
  /** Absolute path. */
  readonly path: string;
}

/**
 * Makes a folder in the system's temporary folder, for this user only.
 * @throws SetupError when it cannot be made.
 */
export function makeThrowawayFolder(): ThrowawayFolder {
  let made: string;
  try {
    made = mkdtempSync(join(tmpdir(), DRAFT_PREFIX));
  } catch (cause) {
    throw new SetupError(
      `Cannot make a folder in ${tmpdir()}: ${explainFailure(tmpdir(), cause)} Or set TMPDIR to another folder.`,
      { cause },
    );
  }
  const lock = shareLock(join(made, FILE_NAMES.owner));
  const path = made.replace(DRAFT_PREFIX, PREFIX);
  renameSync(made, path);
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true });
      lock?.release();
    },
  };
}

/** Removes the folders of this user's processes that were killed before they could do so. */
export function removeAbandonedFolders(): void {
  for (const name of temporaryNames()) {
    const path = join(tmpdir(), name);
    try {
      if (name.startsWith(DRAFT_PREFIX)) removeAbandonedDraft(path);
      if (name.startsWith(PREFIX)) removeAbandonedFolder(path);
    } catch {
      // It cannot be removed, or another process is removing it. Nobody needs it.
    }
  }
}

function temporaryNames(): readonly string[] {
  try {
    return readdirSync(tmpdir());
  } catch {
    // `makeThrowawayFolder` reports what is wrong.
    return [];
  }
}

/** Removes a folder that was never renamed, although that takes only a few milliseconds. */
function removeAbandonedDraft(path: string): void {
  const { mtimeMs } = lstatSync(path);
  if (!isOwnFolder(path) || systemClock.now().wall - mtimeMs <= DRAFT_TIME) return;
  rmSync(path, { recursive: true, force: true });
}

/** Removes a folder that no process has locked. One without the file for the lock was not made here. */
function removeAbandonedFolder(path: string): void {
  const owner = join(path, FILE_NAMES.owner);
  if (!isOwnFolder(path) || !lstatSync(owner).isFile()) return;
  using lock = takeLock(owner);
  if (lock) rmSync(path, { recursive: true, force: true });
}

/** Whether this is a folder of this user itself, not a link to one. */
function isOwnFolder(path: string): boolean {
  const file = lstatSync(path);
  return file.isDirectory() && file.uid === process.getuid?.();
}
