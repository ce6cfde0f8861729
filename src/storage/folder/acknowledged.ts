import {
  closeSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readText } from './file-failures.ts';
import { shareOwner } from './owner.ts';

/**
 * The highest acknowledged number of a database, in a small file next to it: the id of a pet, or the number of a
 * change to the accounts. It is written after every commit that assigns a number, before the commit is acknowledged.
 * These writes are not synced, apart from the first one after the file was closed, so they survive a crash of the
 * process, but not always one of the machine. For that case the manifest durably reserves ids of pets in blocks: a
 * durable record of each id would double the syncs for creating pets.
 */
export interface Acknowledged {
  readonly highest: number;
  /**
   * Whether certainly no higher number was acknowledged: the file was closed and synced after the last number, or the
   * machine has not restarted since.
   */
  readonly isExact: boolean;
}

/** `open` while a process may assign numbers, `done` after it has synced and closed the file. */
type State = 'open' | 'done';

/** A record is smaller than a sector, so that a disk writes all of it or nothing. */
const RECORD_BYTES = 68;

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const UNKNOWN_BOOT = '-'.repeat(36);

/** Identifies the current boot of the machine. */
const boot = readBootId();

function readBootId(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim().padEnd(36, '-').slice(0, 36);
  } catch {
    return UNKNOWN_BOOT;
  }
}

/**
 * Reads the file at this path; `undefined` when it is missing or damaged.
 * @throws SetupError when it cannot be read.
 */
export function readAcknowledged(path: string): Acknowledged | undefined {
  const found = parse(readText(path) ?? '');
  if (!found) return undefined;
  const isSameBoot = found.boot === boot && boot !== UNKNOWN_BOOT;
  return { highest: found.highest, isExact: found.state === 'done' || isSameBoot };
}

/** Creates or replaces the file before any number is assigned. It is synced with the first recorded number. */
export function writeAcknowledged(path: string, highest: number): void {
  writeFileSync(path, format(highest, 'done'), { mode: 0o600 });
  shareOwner(path);
}

/** The file of one database, kept open by a writer thread. */
export class AcknowledgedFile {
  readonly #file: number;
  readonly #isSynced: boolean;
  /** The record that this thread last wrote. */
  #written = Buffer.alloc(0);
  readonly #found = Buffer.alloc(RECORD_BYTES);

  /** @param isSynced whether the next start must be able to tell whether the record is exact. */
  constructor(path: string, { isSynced }: { readonly isSynced: boolean }) {
    this.#file = openSync(path, 'r+');
    this.#isSynced = isSynced;
  }

  /** Records that numbers up to this one are acknowledged from now on. Never lowers the record. */
  record(highest: number): void {
    const found = this.#read();
    const earlier = found.equals(this.#written) ? undefined : parse(found.toString('latin1'));
    if (earlier?.state === 'open' && earlier.highest >= highest) return;
    this.#write(Math.max(highest, earlier?.highest ?? 0), 'open');
    // From now on the record must not count as exact after a power failure.
    if (earlier?.state === 'done' && this.#isSynced) fdatasyncSync(this.#file);
  }

  /** Records that nothing is acknowledged any more (durably if the file is synced), so that no loss is reported. */
  forget(): void {
    this.#write(0, 'open');
    if (this.#isSynced) fdatasyncSync(this.#file);
  }

  /** The highest recorded number. */
  get highest(): number {
    return parse(this.#read().toString('latin1'))?.highest ?? 0;
  }

  /** Rewrites the record unchanged, to check whether it can be written. */
  probe(): void {
    writeSync(this.#file, this.#read(), 0, RECORD_BYTES, 0);
  }

  /** Closes the file and leaves the record unchanged. */
  abandon(): void {
    closeSync(this.#file);
  }

  /** Records the highest number that the database holds, durably, and closes the file. */
  close(highest: number): void {
    if (this.#isSynced) {
      const earlier = parse(this.#read().toString('latin1'));
      this.#write(Math.max(highest, earlier?.highest ?? 0), 'done');
      fdatasyncSync(this.#file);
    }
    closeSync(this.#file);
  }

  #read(): Buffer {
    readSync(this.#file, this.#found, 0, RECORD_BYTES, 0);
    return this.#found;
  }

  #write(highest: number, state: State): void {
    this.#written = Buffer.from(format(highest, state), 'latin1');
    writeSync(this.#file, this.#written, 0, RECORD_BYTES, 0);
  }
}

function format(highest: number, state: State): string {
  const text = `${String(highest).padStart(16, '0')} ${boot} ${state}`;
  return `${text} ${checksum(text)}\n`;
}

function parse(record: string) {
  const [, text = '', highest, recordedBoot, state, sum] =
    /^((\d{16}) (\S{36}) (open|done)) ([\da-f]{8})\n$/.exec(record) ?? [];
  if (sum === undefined || sum !== checksum(text)) return undefined;
  return { highest: Number(highest), boot: recordedBoot, state };
}

function checksum(text: string): string {
  return Bun.hash.crc32(text).toString(16).padStart(8, '0');
}
