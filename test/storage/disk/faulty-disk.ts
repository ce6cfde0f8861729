import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dir, 'faulty-disk.c');

/** Whether a C compiler is installed and libraries can be preloaded (Linux). */
export const canPreload = process.platform === 'linux' && Bun.which('cc') !== null;

/** One operation on a file below the folder. */
export interface DiskOperation {
  /** w: write, f: whole content, t: cut to `offset`, s: fsync, r: rename, l: link, u: unlink. */
  readonly kind: 'w' | 'f' | 't' | 's' | 'r' | 'l' | 'u';
  readonly path: string;
  readonly offset: number;
  /** The written data, or the new path. */
  readonly data: Buffer;
  /** The size of the record after this entry. */
  readonly end: number;
}

/** A disk whose writes and fsyncs below one folder fail, are torn or delayed, and are recorded. */
export class FaultyDisk {
  readonly #files: string;

  private constructor(files: string) {
    this.#files = files;
  }

  /** @param files a folder for the compiled library, the record and the control file. */
  static async compile(files: string): Promise<FaultyDisk> {
    const library = join(files, 'faulty-disk.so');
    const compiler = Bun.spawn(
      ['cc', '-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', library, SOURCE],
      { stderr: 'pipe' },
    );
    if ((await compiler.exited) !== 0) throw new Error(await new Response(compiler.stderr).text());
    return new FaultyDisk(files);
  }

  /** The environment of a service whose data folder is on this disk. */
  settings(folder: string): Record<string, string> {
    return {
      PETSTORE_DATA_DIR: folder,
      LD_PRELOAD: join(this.#files, 'faulty-disk.so'),
      FAULTY_FOLDER: folder,
      FAULTY_RECORD: this.#record,
      FAULTY_CONTROL: this.#control,
    };
  }

  /** Sets the fault from now on, such as `fsync fail 5 production.db-wal`; see faulty-disk.c. */
  set(fault: string): void {
    writeFileSync(this.#control, `${fault}\n`);
  }

  /** Removes the fault. */
  repair(): void {
    rmSync(this.#control, { force: true });
  }

  /** The size of the record now; later entries happened after this call. */
  get recorded(): number {
    return existsSync(this.#record) ? statSync(this.#record).size : 0;
  }

  operations(): DiskOperation[] {
    const record = readFileSync(this.#record);
    const operations: DiskOperation[] = [];
    for (let start = 0; start < record.length; ) {
      const line = record.indexOf('\n', start);
      const [kind, pathLength, offset, length] = record.toString('utf8', start, line).split(' ');
      const data = line + 1 + Number(pathLength);
      start = data + Number(length);
      operations.push({
        // The library writes only these kinds.
        kind: kind as DiskOperation['kind'],
        path: record.toString('utf8', line + 1, data),
        offset: Number(offset),
        data: record.subarray(data, start),
        end: start,
      });
    }
    return operations;
  }

  get #record(): string {
    return join(this.#files, 'record');
  }

  get #control(): string {
    return join(this.#files, 'control');
  }
}
