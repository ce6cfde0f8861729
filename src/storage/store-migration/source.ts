import type { Database } from 'bun:sqlite';
import type { Environment } from '../../core/environments.ts';
import { OperatorError } from '../../core/errors.ts';
import {
  FINGERPRINTS,
  fingerprintOf,
  type Secrets,
  secretIdOf,
  versionIn,
  versionOf,
} from '../../core/keys/secrets.ts';
import { systemClock } from '../../lib/clock.ts';
import { type DataFolder, lockShared } from '../data-folder.ts';
import { type Manifest, requireManifest } from '../folder/manifest.ts';
import { StoreFiles } from '../folder/store-files.ts';
import { FIND_SETTING } from '../settings.ts';
import { type Expectations, openDatabase, query } from '../sqlite/database.ts';
import { type Lock, takeLock } from '../sqlite/lock.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA, type Schema } from '../sqlite/migrations.ts';
import { HIGHEST_ID, LAST_CHANGE, selectNumber } from '../sqlite/numbers.ts';
import type { Table, Value } from './tables.ts';

type Cell = string | bigint | Uint8Array | null;

/** The contents of a data folder, locked so that no other process changes them. */
export class Source implements Disposable {
  /** The lock of the folder and its files. */
  readonly #opened: DisposableStack;
  readonly #files: Readonly<Record<Table['file'], Database>>;
  readonly #manifest: Manifest;

  /**
   * @throws OperatorError while another process has the folder open.
   * @throws SetupError when it cannot be used.
   */
  constructor(folder: DataFolder) {
    using opened = new DisposableStack();
    opened.use(takeAlone(folder));
    const files = new StoreFiles(folder);
    const openAs = (schema: Schema) => (path: string, expected: Expectations) =>
      opened.use(openDatabase(path, schema, expected));
    const open = (name: Environment) =>
      files.openEnvironment(
        name,
        openAs(ENVIRONMENT_SCHEMA),
        (file) => selectNumber(file, HIGHEST_ID),
        systemClock,
      );
    this.#files = {
      accounts: files.openAccounts(
        openAs(ACCOUNTS_SCHEMA),
        (file) => selectNumber(file, LAST_CHANGE),
        systemClock,
      ),
      production: open('production'),
      staging: open('staging'),
    };
    this.#manifest = requireManifest(folder);
    this.#opened = opened.move();
  }

  /** Fingerprints of the secrets that the store has had; see `FINGERPRINTS`. */
  fingerprints(): string {
    return query(this.#files.accounts, FIND_SETTING).get(FINGERPRINTS)?.value ?? '';
  }

  /** How many active keys and authenticator apps need a secret that is none of these. */
  needsOthers({ current, previous }: Secrets): number {
    const ids = [current, ...previous].map((each) => secretIdOf(fingerprintOf(each)));
    const firstId = secretIdOf(this.fingerprints());
    const holes = ids.map(() => '?').join(', ');
    const keys = this.#files.accounts
      .query<{ keys: bigint }, Array<string | number>>(
        `SELECT count(*) AS keys FROM api_keys WHERE revoked_at IS NULL
           AND (expires_at IS NULL OR expires_at > ?) AND coalesce(secret_id, ?) NOT IN (${holes})`,
      )
      .get(systemClock.now().wall, firstId, ...ids);
    const versions = new Set(ids.map((id) => versionOf(id, firstId)));
    const apps = this.#files.accounts
      .query<{ secret: string }, []>('SELECT secret FROM second_factors WHERE verified = 1')
      .all()
      .filter(({ secret }) => !versions.has(versionIn(secret)));
    return Number(keys?.keys ?? 0) + apps.length;
  }

  count(table: Table): number {
    const row = this.#files[table.file]
      .query<{ rows: bigint }, []>(`SELECT count(*) AS rows FROM ${table.name}`)
      .get();
    return Number(row?.rows ?? 0);
  }

  /** The rows after a key, sorted by key; without one, the first rows. */
  rowsAfter(table: Table, after: readonly Value[] | undefined, limit: number): Value[][] {
    const key = table.columns.slice(0, table.keyLength).join(', ');
    const holes = Array(table.keyLength).fill('?').join(', ');
    const where = after === undefined ? '' : `WHERE (${key}) > (${holes})`;
    const rows = this.#files[table.file]
      .query<Record<string, Cell>, Array<string | bigint | Buffer | null>>(
        `SELECT ${table.columns.join(', ')}
         FROM ${table.name} ${where} ORDER BY ${key} LIMIT ${limit}`,
      )
      .all(...(after ?? []));
    return rows.map((row) => table.columns.map((name) => readCell(table, name, row[name] ?? null)));
  }

  /** The highest number in a column; of ids in environments, also those of deleted or lost rows. */
  highest({ name, file }: Table, column: string): bigint {
    const retired =
      file === 'accounts' ? '' : 'UNION ALL SELECT id FROM highest_ids WHERE name = ?';
    const row = this.#files[file]
      .query<{ highest: bigint | null }, string[]>(
        `SELECT max(number) AS highest FROM (SELECT max(${column}) AS number FROM ${name} ${retired})`,
      )
      .get(...(file === 'accounts' ? [] : [name]));
    const highest = row?.highest ?? 0n;
    const { idsAfter = 0 } = this.#manifest.files[`${file}.db`] ?? {};
    return highest > idsAfter ? highest : BigInt(idsAfter);
  }

  [Symbol.dispose](): void {
    this.#opened.dispose();
  }
}

function takeAlone(folder: DataFolder): Lock {
  // Throws after an interrupted restore.
  lockShared(folder).release();
  const lock = takeLock(folder.folderLock);
  if (lock) return lock;
  throw new OperatorError(
    `Somebody has ${folder.path} open. Stop the service, then run this again.`,
  );
}

function readCell({ asJson }: Table, column: string, cell: Cell): Value {
  if (cell instanceof Uint8Array) return Buffer.from(cell);
  return typeof cell === 'string' && asJson?.includes(column) ? JSON.stringify(cell) : cell;
}
