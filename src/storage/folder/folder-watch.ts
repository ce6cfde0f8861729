import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  openSync,
  promises,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { errorCodeOf, messageOf } from '../../core/errors.ts';
import { isOutOfDescriptors } from '../../lib/descriptors.ts';

interface Watched {
  readonly path: string;
  /** The identity of the file when it was opened; `undefined` for the manifest, which is replaced. */
  readonly opened?: string;
  /** For a write-ahead log: its required length, in bytes. */
  readonly leastLength?: () => number;
  /** What to do when it is lost, if it cannot be put back. */
  readonly advice?: string;
}

const RESTART_TO_SAVE =
  'Restart the service with SIGTERM, which saves what the file held; a kill would lose it.';
const RESTART_WITHOUT_COMMANDS =
  'Run no command on the folder, and restart the service with SIGTERM, which saves its changes; a kill may lose some.';
const RESTART_ALONE =
  'Stop every other process that uses the folder, and restart the service with SIGTERM.';

/** A problem with a path. */
interface Problem {
  readonly path: string;
  readonly what: string;
  /** Whether the path no longer leads to the file that this process has open. */
  readonly isLost: boolean;
}

/** The problems of a data folder, as sentences for operators. */
interface FolderProblems {
  /** The folder or a file is lost, so that changes must be refused. */
  readonly lost: string | undefined;
  /** The folder or a file is read-only. */
  readonly readOnly: string | undefined;
}

/** Detects that the data folder or a file in it is no longer the one that this process has open. */
export class FolderWatch {
  readonly #folder: string;
  readonly #watched: Watched[] = [];
  readonly #manifest: Watched;
  /** Write-ahead logs that were truncated, which cannot be undone. */
  readonly #truncated = new Set<string>();

  /** @param manifest path of the manifest, which is replaced from time to time. */
  constructor(folder: string, manifest: string) {
    this.#folder = folder;
    this.#manifest = { path: manifest };
    this.addFile(folder);
  }

  /** Also watches a file that this process has just opened. */
  addFile(path: string, more: Omit<Watched, 'path' | 'opened'> = {}): void {
    this.#watched.push({ path, opened: identify(path), ...more });
  }

  /**
   * Watches a database that this process has just opened, with its write-ahead log and its shared memory. If
   * the shared memory is lost, other processes create a new one and no longer see each other's changes.
   * @param logLength returns the required length of the log, in bytes.
   */
  addDatabase(path: string, logLength: () => number): void {
    this.addFile(path);
    this.addFile(`${path}-wal`, { leastLength: logLength, advice: RESTART_TO_SAVE });
    this.addFile(`${path}-shm`, { advice: RESTART_WITHOUT_COMMANDS });
  }

  /** Watches the file of a lock, which no longer excludes other processes once it is moved or deleted. */
  addLock(path: string): void {
    this.addFile(path, { advice: RESTART_ALONE });
  }

  /** Checks all files. */
  async problems(): Promise<FolderProblems> {
    const watched = [...this.#watched, this.#manifest];
    const problems = await Promise.all(watched.map((each) => this.#inspect(each)));
    // The folder comes first, then its databases: if the folder is lost, its files are lost as well.
    const first = (isLost: boolean) => problems.find((problem) => problem?.isLost === isLost);
    const [lost, readOnly] = [first(true), first(false)];
    return {
      lost:
        lost &&
        `${lost.path} ${lost.what} while the service runs, which refuses all changes. ${this.#adviceFor(lost.path)}`,
      readOnly:
        readOnly &&
        `${readOnly.path} ${readOnly.what}. Make it writable for the user of the service.`,
    };
  }

  #adviceFor(path: string): string {
    if (this.#truncated.has(path)) return 'Restart the service, which then shows what is lost.';
    return (
      this.#watched.find((each) => each.path === path)?.advice ??
      `Put ${this.#folder} back as it was, or stop the service and restore a backup.`
    );
  }

  async #inspect({ path, opened, leastLength }: Watched): Promise<Problem | undefined> {
    const lost = (what: string) => ({ path, what, isLost: true });
    try {
      const found = await promises.stat(path);
      if (opened !== undefined && identityOf(found) !== opened) return lost('was replaced');
      if (leastLength && isTruncated(path, leastLength)) this.#truncated.add(path);
      if (this.#truncated.has(path)) {
        setRestAside(path);
        return lost('was truncated');
      }
    } catch (error) {
      // The file is checked again later; /readyz reports the lack of descriptors.
      if (isOutOfDescriptors(error)) return undefined;
      const isMissing = errorCodeOf(error) === 'ENOENT';
      return lost(isMissing ? 'was moved or deleted' : `cannot be read (${messageOf(error)})`);
    }
    try {
      await promises.access(path, constants.W_OK);
      return undefined;
    } catch (error) {
      return { path, what: `cannot be written (${messageOf(error)})`, isLost: false };
    }
  }
}

function identify(path: string): string {
  return identityOf(statSync(path));
}

/** Identifies a file by its device and inode, whatever its path. */
export function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

function isTruncated(path: string, leastLength: () => number): boolean {
  // During the first check another process may run a checkpoint that truncates the log.
  return isShort(path, leastLength) && isShort(path, leastLength);
}

/**
 * Empties an incomplete log. SQLite would copy it into the database on closing, with pages of zeros and without the
 * latest pages. With an empty log that fails, and the database stays unchanged.
 */
function setRestAside(path: string): void {
  if (statSync(path).size === 0) return;
  copyFileSync(path, `${path}.rest`);
  truncateSync(path);
}

/** Whether a log is too short. If it was truncated and then written, it has a hole in place of its header. */
function isShort(path: string, leastLength: () => number): boolean {
  // Read first: until the length of the file is read, the log can only grow.
  const least = leastLength();
  if (least === 0) return false;
  const file = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(4);
    readSync(file, magic, 0, magic.length, 0);
    return fstatSync(file).size < least || magic.readUInt32BE() === 0;
  } finally {
    closeSync(file);
  }
}
