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
import { messageOf } from '../../core/errors.ts';
import { isOutOfDescriptors } from '../../lib/descriptors.ts';

interface Watched {
  readonly path: string;
  /** What the path led to when it was opened; `undefined` for the manifest, which is replaced. */
  readonly opened?: string;
  /** For a write-ahead log: how long it must be, in bytes. */
  readonly leastLength?: () => number;
  /** What to do when it is lost, where it cannot be put back. */
  readonly advice?: string;
}

const RESTART_TO_SAVE =
  'Restart the service with SIGTERM, which saves what the file held; a kill would lose it.';
const RESTART_WITHOUT_COMMANDS =
  'Run no command on the folder, and restart the service with SIGTERM, which saves its changes; a kill may lose some.';
const RESTART_ALONE =
  'Stop every other process that uses the folder, and restart the service with SIGTERM.';

/** What is wrong with a path. */
interface Problem {
  readonly path: string;
  readonly what: string;
  /** Whether it is no longer what this process has open. */
  readonly isLost: boolean;
}

/** What is wrong with a data folder, in sentences for operators. */
export interface FolderProblems {
  /** The folder or a file is gone, so that changes must be refused. */
  readonly lost: string | undefined;
  /** The folder or a file may not be written. */
  readonly readOnly: string | undefined;
}

/** Notices that the data folder, or a file in it, is no longer what this process has open. */
export class FolderWatch {
  readonly #folder: string;
  readonly #watched: Watched[] = [];
  readonly #manifest: Watched;
  /** Logs that were truncated, which cannot be undone. */
  readonly #truncated = new Set<string>();

  /** @param manifest which is replaced now and then. */
  constructor(folder: string, manifest: string) {
    this.#folder = folder;
    this.#manifest = { path: manifest };
    this.addFile(folder);
  }

  /** Watches a file as well, which this process has just opened. */
  addFile(path: string, more: Omit<Watched, 'path' | 'opened'> = {}): void {
    this.#watched.push({ path, opened: identify(path), ...more });
  }

  /**
   * Watches a database that this process has just opened, with its write-ahead log and its shared memory:
   * without that other processes use another one, and neither they nor this one sees what the other writes.
   * @param logLength gives the length that the log must have for what is in it, in bytes.
   */
  addDatabase(path: string, logLength: () => number): void {
    this.addFile(path);
    this.addFile(`${path}-wal`, { leastLength: logLength, advice: RESTART_TO_SAVE });
    this.addFile(`${path}-shm`, { advice: RESTART_WITHOUT_COMMANDS });
  }

  /** Watches the file of a lock, which does not keep other processes out once it is at no path. */
  addLock(path: string): void {
    this.addFile(path, { advice: RESTART_ALONE });
  }

  /** Looks again. */
  async problems(): Promise<FolderProblems> {
    const watched = [...this.#watched, this.#manifest];
    const problems = await Promise.all(watched.map((each) => this.#look(each)));
    // The folder comes first, and then its databases: where it is lost, its files are as well.
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

  async #look({ path, opened, leastLength }: Watched): Promise<Problem | undefined> {
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
      // The file is looked at again; /readyz reports the descriptors.
      if (isOutOfDescriptors(error)) return undefined;
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
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

function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

function isTruncated(path: string, leastLength: () => number): boolean {
  // Another process may fold the log into its database, and truncate it, in the middle of the first look.
  return isShort(path, leastLength) && isShort(path, leastLength);
}

/**
 * Empties a log that is not whole: SQLite would fold it into the database when it is closed, with pages of
 * zeros and without the latest ones. Where it is empty that fails, and the database stays as it is.
 */
function setRestAside(path: string): void {
  if (statSync(path).size === 0) return;
  copyFileSync(path, `${path}.rest`);
  truncateSync(path);
}

/** A log that was truncated and then written has a hole where its header was. */
function isShort(path: string, leastLength: () => number): boolean {
  // First: until the length is read it can only grow.
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
