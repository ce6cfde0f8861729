import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { DiskOperation } from './faulty-disk.ts';

/** The unit that a disk writes atomically, in bytes. */
const SECTOR = 512;

type Change = (content: Buffer, random: () => number) => Buffer;

/** A file: its content at the last fsync, and the changes since. */
interface DiskFile {
  synced: Buffer;
  pending: Change[];
}

type Names = Map<string, DiskFile>;

/**
 * A possible state of a disk after a power cut: everything before an fsync is on it; of the rest, each write
 * may be absent, complete or torn, and each name may be the old or the new one.
 */
export class CutDisk {
  readonly #folder: string;
  readonly #ignoresFsync: boolean;
  /** The names at the last fsync of the folder, and the changes of names since. */
  #synced: Names = new Map();
  #pending: Array<(names: Names) => void> = [];
  /** The current names for the running service. */
  readonly #current: Names = new Map();

  /**
   * @param base a copy of the folder before the recorded run, which is on the disk completely.
   * @param options.ignoresFsync simulates a disk that confirms an fsync without writing.
   */
  constructor(folder: string, base: string, { ignoresFsync = false } = {}) {
    this.#folder = folder;
    this.#ignoresFsync = ignoresFsync;
    for (const name of readdirSync(base, { recursive: true, encoding: 'utf8' })) {
      if (!statSync(join(base, name)).isFile() || /-shm$|\.lock$/.test(name)) continue;
      const file = { synced: readFileSync(join(base, name)), pending: [] };
      this.#synced.set(name, file);
      this.#current.set(name, file);
    }
  }

  /** Applies one operation of the record. */
  apply({ kind, path, offset, data }: DiskOperation): void {
    const name = relative(this.#folder, path);
    switch (kind) {
      case 'w':
        this.#file(name).pending.push(written(offset, data));
        break;
      case 'f':
        this.#file(name).pending.push(() => data);
        break;
      case 't':
        this.#file(name).pending.push((content, random) =>
          random() < 0.5 ? content : resized(content, offset),
        );
        break;
      case 's':
        this.#sync(name);
        break;
      default:
        this.#rename(kind, name, relative(this.#folder, data.toString()));
    }
  }

  /** Writes a possible content of the disk after a power cut at this moment. */
  cut(image: string, random: () => number): void {
    mkdirSync(image, { recursive: true });
    const names = new Map(this.#synced);
    // The journal of names is written in order, up to a random point.
    const kept = Math.floor(random() * (this.#pending.length + 1));
    for (const change of this.#pending.slice(0, kept)) change(names);
    for (const [name, file] of names) {
      const content = file.pending.reduce((now, change) => change(now, random), file.synced);
      mkdirSync(dirname(join(image, name)), { recursive: true });
      writeFileSync(join(image, name), content);
    }
  }

  #file(name: string): DiskFile {
    const known = this.#current.get(name);
    if (known) return known;
    const file = { synced: Buffer.alloc(0), pending: [] };
    this.#current.set(name, file);
    this.#pending.push((names) => names.set(name, file));
    return file;
  }

  #sync(name: string): void {
    if (this.#ignoresFsync) return;
    if (name !== '') {
      const file = this.#file(name);
      // Without randomness: every change is on the disk, in order.
      file.synced = file.pending.reduce((now, change) => change(now, () => 0.999), file.synced);
      file.pending = [];
    }
    for (const change of this.#pending) change(this.#synced);
    this.#pending = [];
  }

  #rename(kind: 'r' | 'l' | 'u', from: string, to: string): void {
    const file = this.#current.get(from);
    if (!file) return;
    const change = (names: Names) => {
      if (kind !== 'u') names.set(to, file);
      if (kind !== 'l') names.delete(from);
    };
    change(this.#current);
    this.#pending.push(change);
  }
}

/** A write that is absent, torn between two sectors, or complete. */
function written(offset: number, data: Buffer): Change {
  return (content, random) => {
    const chance = random();
    if (chance < 0.3) return content;
    const sectors = Math.floor((random() * data.length) / SECTOR);
    const part = chance < 0.5 ? data.subarray(0, sectors * SECTOR) : data;
    const next = resized(content, Math.max(content.length, offset + part.length));
    part.copy(next, offset);
    return next;
  };
}

/** A copy with this length, padded with zeros. */
function resized(content: Buffer, length: number): Buffer {
  const next = Buffer.alloc(length);
  content.copy(next);
  return next;
}
