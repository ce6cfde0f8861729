import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError } from '../core/errors.ts';
import { MINUTE, systemClock } from '../lib/clock.ts';
import { FILE_NAMES, THROWAWAY_PREFIX as PREFIX } from '../storage/data-folder.ts';
import { type Lock, shareLock, takeLock } from '../storage/sqlite/lock.ts';

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
      `Cannot make a folder in ${tmpdir()}. Set TMPDIR to one that you may write to.`,
      {
        cause,
      },
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

/** Removes the folders of processes that were killed before they could do so. */
export function removeAbandonedFolders(): void {
  for (const name of temporaryNames()) {
    const path = join(tmpdir(), name);
    if (name.startsWith(DRAFT_PREFIX) && isAbandonedDraft(path)) {
      rmSync(path, { recursive: true, force: true });
    }
    if (!name.startsWith(PREFIX)) continue;
    const lock = lockAbandoned(path);
    if (!lock) continue;
    rmSync(path, { recursive: true, force: true });
    lock.release();
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

/** Whether a folder of this user was never renamed, although that takes only a few milliseconds. */
function isAbandonedDraft(path: string): boolean {
  try {
    const { uid, mtimeMs } = statSync(path);
    return uid === process.getuid?.() && systemClock.now().wall - mtimeMs > DRAFT_TIME;
  } catch {
    // Another process is removing the folder.
    return false;
  }
}

/** Locks a folder of this user that no process owns. */
function lockAbandoned(path: string): Lock | undefined {
  try {
    if (statSync(path).uid !== process.getuid?.()) return undefined;
    return takeLock(join(path, FILE_NAMES.owner));
  } catch {
    // Another process is removing the folder.
    return undefined;
  }
}
