import { rmSync, statSync } from 'node:fs';
import { SetupError, StorageUnavailable } from '../../core/errors.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { Engine, NamedChange } from '../access.ts';
import { isFileFailure } from '../folder/file-failures.ts';
import { identityOf } from '../folder/folder-watch.ts';
import type { RowsStatement } from '../schema/row-statements.ts';
import type { Selection, SelectionValue } from '../schema/selection.ts';
import { sqliteEngine } from './engine.ts';
import { SqliteFile } from './file.ts';
import { REQUESTS_SCHEMA } from './migrations.ts';
import { Writer, type WriterOptions } from './writer.ts';

/** The open file. */
interface OpenedFile {
  readonly file: SqliteFile;
  readonly engine: Engine;
  /** With its own thread, so that creating pets never waits for the log. */
  readonly writer: Writer;
  readonly identity: string;
}

/**
 * The file of the request log, which is opened by `load` or at the first use. It is not part of the store: if it is
 * missing or cannot be used, for example because it is damaged or of a newer release, it is re-created at the next use,
 * also while the service is running.
 */
export class RequestLogFile implements Engine {
  readonly #path: string;
  readonly #accountsPath: string;
  /** Identity of the accounts file. If it differs from the file at that path, the folder was moved or replaced. */
  readonly #accounts: string | undefined;
  readonly #options: WriterOptions;
  #opened: OpenedFile | undefined;
  /** Settles once the previously opened files are closed. */
  #closing: Promise<void> = Promise.resolve();
  #isDamaged = false;

  /** @param accountsPath path of the accounts file, which is open. */
  constructor(path: string, accountsPath: string, options: WriterOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.#accountsPath = accountsPath;
    this.#accounts = identify(accountsPath);
  }

  /**
   * Opens the file and loads the code of its changes, so that later requests do not wait for it and it does not fail
   * for lack of descriptors. A file that cannot be opened fails again at the first use.
   * @throws StorageUnavailable when the code cannot be loaded.
   */
  async load(): Promise<void> {
    let opened: OpenedFile;
    try {
      opened = this.#open();
    } catch {
      return;
    }
    await opened.writer.load();
    await opened.writer.open([this.#path]);
  }

  async change(change: NamedChange): Promise<unknown> {
    return this.#open().engine.change(change);
  }

  queries(): ReturnType<Engine['queries']> {
    return this.#open().engine.queries();
  }

  rows<Row>(selection: Selection<Row>, ...values: SelectionValue[]): Awaitable<Row[]> {
    return this.#open().engine.rows(selection, ...values);
  }

  async run(...statement: Parameters<Engine['run']>): Promise<number> {
    return this.#open().engine.run(...statement);
  }

  async runForRows<Row>(statement: RowsStatement<Row>, rows: readonly Row[]): Promise<number> {
    return this.#open().engine.runForRows(statement, rows);
  }

  /** As in `Writer`; does nothing while the file is not open. */
  checkpoint(): void {
    this.#opened?.writer.checkpoint();
  }

  /** Waits for changes in progress. */
  async close(): Promise<void> {
    this.#closeOpened();
    await this.#closing;
  }

  #open(): OpenedFile {
    const opened = this.#opened;
    if (opened && !this.#isDamaged && opened.identity === identify(this.#path)) return opened;
    if (identify(this.#accountsPath) !== this.#accounts) {
      throw new StorageUnavailable(new Error('The data folder was moved or replaced.'));
    }
    this.#closeOpened();
    if (this.#isDamaged) removeFile(this.#path);
    this.#isDamaged = false;
    const onDamage = () => {
      this.#isDamaged = true;
    };
    this.#opened = openFile(this.#path, onDamage, this.#options);
    return this.#opened;
  }

  #closeOpened(): void {
    const opened = this.#opened;
    if (!opened) return;
    this.#opened = undefined;
    opened.file.close();
    this.#closing = Promise.all([this.#closing, opened.writer.close()]).then(() => {});
  }
}

function openFile(path: string, onDamage: () => void, options: WriterOptions): OpenedFile {
  const writer = new Writer(options);
  writer.onDamage = onDamage;
  const open = () => new SqliteFile(path, REQUESTS_SCHEMA, writer, { onDamage });
  let file: SqliteFile;
  try {
    file = open();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    // Only what the file contains is a reason to replace it.
    if (isFileFailure(error.cause)) throw new StorageUnavailable(error);
    removeFile(path);
    file = open();
  }
  return { file, writer, engine: sqliteEngine(file), identity: identify(path) ?? '' };
}

function removeFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

/** The identity of the file at the path; `undefined` if there is none. */
function identify(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && identityOf(found);
}
